// Maps the text of a key to its access. Texts are compared by digests under a secret of this
// process, so the time of a comparison reveals nothing about a key.
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
import type { Uuid } from '../../format/ids.ts'
import type { Caller } from '../http/messages/index.ts'
import { keyNotFor } from './faults.ts'

const KEY_TEXT = /^[0-9a-f]{64}$/i

/** A key with the access derived from it. */
export type Access = {
  readonly key: ApiKey
  readonly patterns: Patterns
  /** Without the parts that depend on the request. */
  readonly caller: Omit<Caller, 'isValid'>
  readonly digest: Uint8Array
}

export class KeyRing {
  readonly #keys: Keys
  readonly #masterKey: string
  readonly #secret = randomBytes(32)
  readonly #masterDigest: Uint8Array
  readonly #byDigest = new Map<string, Access>()
  readonly #byUid = new Map<Uuid, Access>()
  /** The version of the keys in the maps. */
  #seenVersion = -1

  constructor(keys: Keys, masterKey: string) {
    this.#keys = keys
    this.#masterKey = masterKey
    this.#masterDigest = this.digestOf(Buffer.from(masterKey).toString('latin1'))
    this.refresh()
  }

  /**
   * Returns the digest by which a token is compared; `token` as received, one byte per character.
   * 2.5 µs.
   */
  digestOf(token: string): Uint8Array {
    return createHmac('sha256', this.#secret).update(token, 'latin1').digest()
  }

  isMaster(digest: Uint8Array): boolean {
    return timingSafeEqual(digest, this.#masterDigest)
  }

  /** Returns the key with this text, in either case, or null if there is no such key. */
  ofText(token: string, digestOfToken: Uint8Array): Access | null {
    if (!KEY_TEXT.test(token)) return null
    const text = token.toLowerCase()
    const digest = text === token ? digestOfToken : this.digestOf(text)
    const access = this.#byDigest.get(nameOf(digest))
    if (access === undefined || !timingSafeEqual(access.digest, digest)) return null
    return access
  }

  ofUid(uid: Uuid): Access | null {
    return this.#byUid.get(uid) ?? null
  }

  /**
   * Applies changes of the keys: 0.1 µs for each key, and 20 µs for a new one. Called with every
   * request, so that new keys do not accumulate.
   */
  refresh(): void {
    if (this.#seenVersion === this.#keys.version) return
    this.#seenVersion = this.#keys.version
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

/** Returns true if the key has expired. `now`: microseconds since 1970. */
export const hasEnded = ({ key }: Access, now: number): boolean =>
  key.expiresAt !== null && isOver(key.expiresAt, now)

/** Returns a digest as a key for maps. */
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
