// The contract's table on Google's wire.
import { holdWire } from "../../support/contract/holdWire.ts";

holdWire("gemini");
