// Limits for the storage of truncated tool results, and the name of the tool that reads them.

/** Offered to a model once a result of its run was truncated and stored; no other tool has this name. */
export const READ_RESULT = "read_result";
/** Maximum number of stored characters of one result. */
export const KEPT_OF_RESULT = 1_048_576;
/** Maximum number of stored characters of all truncated results of a run. */
export const KEPT_OF_RUN = 8_388_608;
