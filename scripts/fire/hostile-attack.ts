// The definition of an attack: which client sends what over how many connections, and the allowed
// answers.

/** The key of the attacker. */
export type Role = 'search' | 'render' | 'documents' | 'admin'

export type Target = {
  readonly url: string
  /** `other` belongs to the client whose searches are timed. */
  readonly keys: Readonly<Record<Role | 'other', string>>
}

/** Sizes of the requests: the sizes that were found to hurt, or small ones for the test run. */
export type Sizes = {
  /** Packed bodies unpack to this many bytes. */
  readonly unpackedBytes: number
  /** Plain bodies that stay just below the ceiling of JSON bodies. */
  readonly plainBytes: number
  /** Filter conditions are multiplied by this; 1 means the counts that were found to hurt. */
  readonly share: number
}

export const FULL: Sizes = { unpackedBytes: 99_000_000, plainBytes: 9_900_000, share: 1 }
export const SMALL: Sizes = { unpackedBytes: 1_500_000, plainBytes: 200_000, share: 0.02 }

/** A status, or how a request ended without one. */
export type Outcome = number | 'cut' | 'unanswered'

export type Context = {
  readonly target: Target
  readonly key: string
  /** Number of this client among those of its attack, from 0. */
  readonly number: number
  /** Whether another request may be sent: both time and count are limited. */
  readonly goesOn: () => boolean
  /** Aborted when the attack is over: connections are closed immediately. */
  readonly signal: AbortSignal
  readonly tell: (outcome: Outcome, bytes?: number) => void
}

/** Sends on one connection, or on one after another, until `goesOn` returns false. */
export type HostileClient = (context: Context) => Promise<void>

export type Attack = {
  readonly name: string
  /** Attacks of one kind have the same number; 0 is the run without an attack. */
  readonly item: number
  readonly sends: string
  /** Allowed answers; any other fails the attack. */
  readonly wants: readonly Outcome[]
  /** Longest allowed answer. */
  readonly answerBytesMax?: number
  /** Its clients wait until they are stopped; other clients must be answered. */
  readonly waits?: true
  readonly role: Role
  readonly connections: number
  /** Over TLS, with HTTP/2. */
  readonly isSecure?: boolean
  /** Prepares bodies once, before the measurement. */
  readonly client: (sizes: Sizes) => HostileClient
}
