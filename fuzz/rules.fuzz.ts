// Any bytes decode to a search rule, a webhook, a chat workspace or a network, or are refused with
// a typed error; a decoded value survives a round trip. The first byte selects the type.

import { decodeWebhook, encodeWebhook } from '../engine/admin/webhooks/record.ts'
import { DEFAULT_WORKSPACE, decodeWorkspace, encodeWorkspace } from '../engine/ai/chats/index.ts'
import { decodeNetwork, encodeNetwork, NO_NETWORK } from '../engine/network/records/index.ts'
import { decodeRule, encodeRule } from '../engine/read/search-rules/index.ts'
import { patchedRule } from '../engine/read/search-rules/rule.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import { asIndexUid } from '../format/ids.ts'
import type { FuzzTarget } from './target.ts'

const RULE = patchedRule(
  null,
  'a',
  {
    description: 'd',
    precedence: 3,
    conditions: {
      time: { start: '2024-01-01T00:00:00Z' },
      query: { words: 'red shoe' },
      filter: { values: { color: ['red'] } },
    },
    actions: {
      pin: [{ indexUid: asIndexUid('shop'), id: '1', position: 0 }],
      scale: [{ ids: ['2'], filter: ['a = 1', ['b = 2']], weight: 0.5 }],
    },
  },
  1_700_000_000_000_000,
)

/** The rule as releases up to 1.50 wrote it. */
const LISTED = JSON.stringify({
  lastUpdatedAt: 1,
  active: true,
  conditions: {},
  actions: [{ selector: { id: '1' }, action: { type: 'pin', position: 0 } }],
})

const NETWORK = {
  ...NO_NETWORK,
  self: 'a',
  remotes: new Map([['a', { url: 'http://x', searchApiKey: 'k', writeApiKey: null }]]),
  shards: new Map([['s', { remotes: ['a'] }]]),
}

const led = (which: number, bytes: Uint8Array): Uint8Array => Uint8Array.of(which, ...bytes)

export const target: FuzzTarget = {
  name: 'rules',
  seeds: () => [
    led(0, encodeRule(RULE)),
    led(0, Buffer.from(LISTED)),
    led(1, encodeWebhook({ url: 'http://x/?a=b', headers: { Authorization: 'Bearer k' } })),
    led(2, encodeWorkspace({ ...DEFAULT_WORKSPACE, source: 'vLlm', baseUrl: 'http://x' })),
    led(3, encodeNetwork(NETWORK)),
  ],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 1024,
}

const CODECS: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
  (bytes) => encodeRule(decodeRule('a', bytes)),
  (bytes) => encodeWebhook(decodeWebhook(bytes)),
  (bytes) => encodeWorkspace(decodeWorkspace(bytes)),
  (bytes) => encodeNetwork(decodeNetwork(bytes)),
]

function run(input: Uint8Array): void {
  const recode = CODECS[(input[0] ?? 0) % CODECS.length]!
  const once = recode(input.subarray(1))
  assert(Buffer.compare(once, recode(once)) === 0, 'a record has one encoding')
}
