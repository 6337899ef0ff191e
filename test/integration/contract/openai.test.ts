// The contract's table on servers of the chat wire.
import { holdWire } from "../../support/contract/holdWire.ts";

holdWire("openai");
