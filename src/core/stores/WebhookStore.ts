// Stores webhook deliveries until they succeed or are abandoned.

/** A webhook delivery; stored until it succeeds or is abandoned. */
export interface WebhookDelivery {
  /** Unique, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly url: string;
  /** JSON text, sent unchanged. */
  readonly body: string;
}

export interface DueWebhookDelivery extends WebhookDelivery {
  readonly owner: string;
  readonly run: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

export interface WebhookStore {
  /** Takes the due deliveries of all owners, the longest due first. Each is due again after `ms` unless it is `done` before. */
  take(limit: number, ms: number): Promise<readonly DueWebhookDelivery[]>;
  /** Deletes a delivery that succeeded or was abandoned; does nothing if it is gone. */
  done(id: string): Promise<void>;
  /** Makes the delivery due again after `ms` milliseconds; does nothing if it is gone. */
  postpone(id: string, ms: number): Promise<void>;
}
