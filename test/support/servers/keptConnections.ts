// How long servers of tests keep a connection.

/** A connection that its server closes while the next request is on its way fails that request: on a busy machine five seconds pass in no time. */
export const KEPT = { keepAliveTimeout: 600_000 };
