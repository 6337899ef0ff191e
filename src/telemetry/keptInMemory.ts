// What the log and the terminal say of a store that ends with its process. Knows no store.

export const KEPT_IN_MEMORY =
  "sessions and runs are kept in memory and end with this process; `store.file` of postel.yaml keeps them";
