// What the log and the terminal say of a store that ends with its process. Knows no store.

export const MEMORY_STORE_NOTICE =
  "sessions and runs are kept in memory and end with this process; `store.file` of postel.yaml keeps them";
