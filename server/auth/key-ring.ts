// From the text of a key to what it allows. Texts are compared by digests under a secret of this
// process: how long a comparison takes says nothing about a key.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type ApiKey,
  allowedBy,
  isInstanceWide,
  isOver,
  type Keys,
  keyText,
  type Patterns,
  patternsOf,
} from '../../engine/index.ts'
import type { Caller } from '../http/index.ts'
import { keyNotFor } from './faults.ts'

const KEY_TEXT = /^[0-9a-f]{64}$/i

/** A key and what follows from it. */
export type Access = {
  readonly key: ApiKey
  readonly patterns: Patterns
  /** Without what depends on the request. */
  readonly caller: Omit<Caller, 'isValid'>
  readonly digest: Uint8Array
}

export class KeyRing {
  readonly #keys: Keys
  readonly #masterKey: string
  readonly #secret = randomBytes(32)
  readonly #masterDigest: Uint8Array
  readonly #byDigest = new Map<string, Access>()
  readonly #byUid = new Map<string, Access>()
  /** The version of the keys that is in the maps. */
  #seen = -1

  constructor(keys: Keys, masterKey: string) {
    this.#keys = keys
    this.#masterKey = masterKey
    this.#masterDigest = this.digestOf(Buffer.from(masterKey).toString('latin1'))
    this.follow()
  }

  /** What a token is compared by; `token` as it came, one byte a character. 2.5 µs. */
  digestOf(token: string): Uint8Array {
    return createHmac('sha256', this.#secret).update(token, 'latin1').digest()
  }

  isMaster(digest: Uint8Array): boolean {
    return timingSafeEqual(digest, this.#masterDigest)
  }

  /** The key whose text this token is, in either case; null: there is none. */
  ofText(token: string, digestOfToken: Uint8Array): Access | null {
    if (!KEY_TEXT.test(token)) return null
    const text = token.toLowerCase()
    const digest = text === token ? digestOfToken : this.digestOf(text)
    const access = this.#byDigest.get(nameOf(digest))
    if (access === undefined || !timingSafeEqual(access.digest, digest)) return null
    return access
  }

  ofUid(uid: string): Access | null {
    return this.#byUid.get(uid) ?? null
  }

  /**
   * Takes over what has changed about the keys: a look at each of them, 0.1 µs, and 20 µs for a new
   * one. Called with every request, so that new ones do not pile up.
   */
  follow(): void {
    if (this.#seen === this.#keys.version) return
    this.#seen = this.#keys.version
    for (const [uid, { key, digest }] of this.#byUid) {
      if (this.#keys.get(uid) === key) continue
      this.#byUid.delete(uid)
      this.#byDigest.delete(nameOf(digest))
    }
    for (const key of this.#keys.all()) {
      if (!this.#byUid.has(key.uid)) this.#add(key)
    }
  }

  #add(key: ApiKey): void {
    const digest = this.digestOf(keyText(key.uid, this.#masterKey))
    const patterns = patternsOf(key.indexes)
    const access = { key, patterns, caller: callerOf(key, patterns), digest }
    this.#byUid.set(key.uid, access)
    this.#byDigest.set(nameOf(digest), access)
  }
}

/** Whether the key has come to its end. `now`: microseconds since 1970. */
export const hasEnded = ({ key }: Access, now: number): boolean =>
  key.expiresAt !== null && isOver(key.expiresAt, now)

/** A digest as the key of a map. */
export const nameOf = (digest: Uint8Array): string => Buffer.from(digest).toString('base64')

function callerOf(key: ApiKey, patterns: Patterns): Access['caller'] {
  const allowed = allowedBy(key.actions)
  const may = (action: string): boolean =>
    allowed.has(action) && (patterns.areAll || !isInstanceWide(action))
  return {
    visible: patterns.areAll ? null : patterns.match,
    mayCreateIndex: may('indexes.create'),
    may,
    filterOf: null,
    refusal: (indexUid) => keyNotFor(indexUid, key.indexes),
    keyUid: key.uid,
  }
}
