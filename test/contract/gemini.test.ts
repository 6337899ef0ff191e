// The contract's table on Google's wire.
import { holdWire } from "./holdWire.ts";

holdWire("gemini");
