// Notice in the log and the terminal that the store ends with its process.

export const MEMORY_STORE_NOTICE =
  "sessions and runs are kept in memory and end with this process; `store.file` of postel.yaml keeps them";
