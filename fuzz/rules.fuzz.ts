// Any bytes decode to a search rule, or to a webhook, or are refused with a typed error; what
// decodes survives a round trip. The first byte says which.
import { decodeRule, encodeRule, patchedRule } from '../engine/rules/index.ts'
import { decodeWebhook, encodeWebhook } from '../engine/webhooks/index.ts'
import { assert, CorruptionError } from '../format/errors.ts'
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
    actions: [{ selector: { indexUid: 'shop', id: '1' }, action: { type: 'pin', position: 0 } }],
  },
  1_700_000_000_000_000,
)

const led = (which: number, bytes: Uint8Array): Uint8Array => Uint8Array.of(which, ...bytes)

export const target: FuzzTarget = {
  name: 'rules',
  seeds: () => [
    led(0, encodeRule(RULE)),
    led(1, encodeWebhook({ url: 'http://x/?a=b', headers: { Authorization: 'Bearer k' } })),
  ],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 1024,
}

function run(input: Uint8Array): void {
  const bytes = input.subarray(1)
  const isRule = ((input[0] ?? 0) & 1) === 0
  const once = isRule ? encodeRule(decodeRule('a', bytes)) : encodeWebhook(decodeWebhook(bytes))
  const again = isRule ? encodeRule(decodeRule('a', once)) : encodeWebhook(decodeWebhook(once))
  assert(Buffer.compare(once, again) === 0, 'a record has one encoding')
}
