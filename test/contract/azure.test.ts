// The contract's table on Azure's addresses.
import { holdWire } from "./holdWire.ts";

holdWire("azure");
