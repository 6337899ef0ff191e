// How much of tools' results a run keeps beyond what its model reads at once, and the tool by which it reads on. Knows no tool.

/** Offered to a model once a result of its run was cut and the rest was kept; no other tool bears the name. */
export const READ_RESULT = "read_result";
/** Characters that are kept of one result. */
export const KEPT_OF_RESULT = 1_048_576;
/** Characters of results that were cut which a run keeps in all. */
export const KEPT_OF_RUN = 8_388_608;
