/** A commit that was accepted: the newest accepted one is what the network should be. */
export interface AcceptedRevision {
  /** Grows by one with every acceptance; an older one never overwrites a newer one. */
  readonly sequence: number;
  /** Full commit id, or `tree:<hash>` for a directory without one. */
  readonly commit: string;
}

/** What was last written to a unit. */
export interface AppliedRevision extends AcceptedRevision {
  /** When, in milliseconds since 1970. */
  readonly at: number;
}
