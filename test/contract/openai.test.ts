// The contract's table on servers of the chat wire.
import { holdWire } from "./holdWire.ts";

holdWire("openai");
