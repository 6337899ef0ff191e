// Nothing was ever learnt of any model.
import type { CapabilityKnowledge } from "../../src/models/capabilities/ModelCapabilityDetector.ts";

export const NO_EVIDENCE: CapabilityKnowledge["evidence"] = { get: () => [], recall: () => undefined };
