// The contract's table on Anthropic's wire.
import { holdWire } from "../../support/contract/holdWire.ts";

holdWire("anthropic");
