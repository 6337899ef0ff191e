// The contract's table on Azure's addresses.
import { holdWire } from "../../support/contract/holdWire.ts";

holdWire("azure");
