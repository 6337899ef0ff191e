// The contract's table on Anthropic's wire.
import { holdWire } from "./holdWire.ts";

holdWire("anthropic");
