// Any text is a valid tenant token or is refused with a typed error. The first byte selects the
// part, the remaining bytes are its input.
import { assert } from '../format/errors.ts'
import { asIndexUid } from '../format/ids.ts'
import { decodePart } from '../server/auth/base64.ts'
import { readClaims, readHeader } from '../server/auth/claims.ts'
import { ApiError } from '../server/errors/index.ts'
import type { FuzzTarget } from './target.ts'

type Part = { readonly seed: string; readonly run: (bytes: Uint8Array) => void }

const UID = '5eed0000-0000-4000-8000-000000000001'

const PARTS: readonly Part[] = [
  {
    seed: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
    run: (bytes) => {
      const text = Buffer.from(bytes).toString('latin1')
      const again = Buffer.from(decodePart(text)).toString('base64url')
      assert(again === text, 'what is decoded has one spelling')
    },
  },
  { seed: '{"alg":"HS256","typ":"JWT"}', run: (bytes) => void readHeader(bytes) },
  {
    seed: `{"apiKeyUid":"${UID}","exp":4102444800,"searchRules":{"a*":{"filter":["x"]},"b":null}}`,
    run: (bytes) => {
      const { apiKeyUid, rules } = readClaims(bytes)
      assert(apiKeyUid.length === UID.length, 'a uid has one spelling')
      for (const pattern of rules.patterns) {
        const uid = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern
        assert(rules.match(asIndexUid(uid)), 'a pattern matches what it begins with')
        rules.filterOf(asIndexUid(uid))
      }
    },
  },
]

export const target: FuzzTarget = {
  name: 'tokens',
  seeds: () => PARTS.map(({ seed }, which) => new Uint8Array([which, ...Buffer.from(seed)])),
  run: (input) => PARTS[(input[0] ?? 0) % PARTS.length]!.run(input.subarray(1)),
  allows: (error) => error instanceof ApiError,
  inputBytesMax: 1024,
}
