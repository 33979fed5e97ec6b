// Access control: the master key gives access to everything, a key to its actions and indexes, a
// tenant token to the part of its key that its rules leave. Without a master key every route except
// those of keys is public.
import type { Keys } from '../../engine/index.ts'
import type { Uuid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import { type Authorise, bearerToken, EVERYTHING, invalidKey } from '../http/index.ts'
import type { Caller } from '../http/messages/index.ts'
import type { Claims } from './claims.ts'
import { keyNotFor, missingMasterKey, parentNotFor, tokenExpired, tokenNotFor } from './faults.ts'
import { type Access, hasEnded, KeyRing, nameOf } from './key-ring.ts'
import { TOKEN_KEPT_LENGTH_MAX, TOKENS_KEPT_MAX } from './limits.ts'
import { isTenantToken, verifyTenantToken } from './tenant-token.ts'

export type AuthorisationOptions = {
  readonly masterKey: string | null
  readonly keys: Keys
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The requested access: the action of the route, and the index in its path, if it has one. */
type AccessRequest = { readonly action: string; readonly indexUid: string | undefined }

export function authorisation({ masterKey, keys, now }: AuthorisationOptions): Authorise {
  if (masterKey === null) return openToAll
  const guard = new Guard(masterKey, keys, now)
  return ({ permits }, header, { indexUid }) =>
    permits === null ? EVERYTHING : guard.admit(bearerToken(header), { action: permits, indexUid })
}

/** Returns a test of API keys: whether a key permits an action on the whole instance. */
export const keyPermits =
  (authorise: Authorise, action: string): ((key: string) => boolean) =>
  (key) => {
    const rules = { method: 'GET', path: '', permits: action, body: 'none', query: null } as const
    try {
      const caller = authorise({ ...rules, handle: () => ({ status: 200 }) }, `Bearer ${key}`, {})
      return !(caller instanceof Promise) && caller.may(action)
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

/** Malformed headers are still refused, because clients may rely on that. */
const openToAll: Authorise = ({ permits }, header) => {
  if (permits === null) return EVERYTHING
  if (header !== undefined) bearerToken(header)
  if (permits.startsWith('keys.')) throw missingMasterKey()
  return EVERYTHING
}

class Guard {
  readonly #masterKey: string
  readonly #ring: KeyRing
  readonly #now: () => number
  /** Verified tokens, least recently used first. */
  readonly #tokens = new Map<string, Claims>()

  constructor(masterKey: string, keys: Keys, now: () => number) {
    this.#masterKey = masterKey
    this.#ring = new KeyRing(keys, masterKey)
    this.#now = now
  }

  /** @throws ApiError */
  admit(token: string, request: AccessRequest): Caller | Promise<Caller> {
    this.#ring.refresh()
    const digest = this.#ring.digestOf(token)
    if (this.#ring.isMaster(digest)) return EVERYTHING
    if (isForTenants(request.action) && isTenantToken(token)) {
      return this.#admitTenant(token, nameOf(digest), request)
    }
    const access = this.#ring.ofText(token, digest)
    if (access === null) throw invalidKey()
    const { patterns, key } = access
    if (request.indexUid !== undefined && !patterns.match(request.indexUid)) {
      throw keyNotFor(request.indexUid, key.indexes)
    }
    this.#checkKey(access, request)
    return { ...access.caller, isValid: () => this.#isValid(key.uid, request) }
  }

  async #admitTenant(token: string, name: string, request: AccessRequest): Promise<Caller> {
    const { apiKeyUid, expiresAt, rules } = await this.#verified(token, name)
    const seconds = Math.floor(this.#now() / 1000)
    if (expiresAt !== null && seconds > expiresAt) throw tokenExpired(expiresAt, seconds)
    // The keys may have changed while the signature was verified.
    this.#ring.refresh()
    const access = this.#ring.ofUid(apiKeyUid)
    if (access === null) throw invalidKey()
    this.#checkKey(access, request)
    const { match } = access.patterns
    const { indexUid } = request
    if (indexUid !== undefined) {
      if (!rules.match(indexUid)) throw tokenNotFor(indexUid, rules.patterns)
      if (!match(indexUid)) throw parentNotFor(indexUid)
    }
    return {
      ...access.caller,
      visible: (uid) => rules.match(uid) && match(uid),
      refusal: (uid) => (rules.match(uid) ? parentNotFor(uid) : tokenNotFor(uid, rules.patterns)),
      filterOf: rules.filterOf,
      isValid: () => {
        const now = Math.floor(this.#now() / 1000)
        return (expiresAt === null || now <= expiresAt) && this.#isValid(apiKeyUid, request)
      },
    }
  }

  /**
   * Returns true if the key with this uid exists, has not expired, and allows the requested access.
   */
  #isValid(uid: Uuid, { action, indexUid }: AccessRequest): boolean {
    this.#ring.refresh()
    const access = this.#ring.ofUid(uid)
    if (access === null || hasEnded(access, this.#now() * 1000)) return false
    if (indexUid !== undefined && !access.patterns.match(indexUid)) return false
    return access.caller.may(action)
  }

  /** Checks that the key is valid, has indexes, and allows the action. */
  #checkKey(access: Access, { action }: AccessRequest): void {
    const isForNothing = access.key.indexes.length === 0
    if (isForNothing || hasEnded(access, this.#now() * 1000) || !access.caller.may(action)) {
      throw invalidKey()
    }
  }

  /** Returns the claims of a token; it is verified only if its `name` is not in the cache. */
  async #verified(token: string, name: string): Promise<Claims> {
    const claims = this.#tokens.get(name) ?? (await verifyTenantToken(token, this.#masterKey))
    this.#tokens.delete(name)
    if (token.length > TOKEN_KEPT_LENGTH_MAX) return claims
    this.#tokens.set(name, claims)
    if (this.#tokens.size > TOKENS_KEPT_MAX) {
      const [oldest] = this.#tokens.keys()
      this.#tokens.delete(oldest!)
    }
    return claims
  }
}

const isForTenants = (action: string): boolean =>
  action === 'search' || action === 'chatCompletions'
