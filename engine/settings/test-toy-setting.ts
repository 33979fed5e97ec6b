// A setting for tests: words of greeting, and a secret. A new setting needs only such a file, a
// line in the registry and a row of schemas; `new-setting.test.ts` in `server` adds those two.
import { nullable, object, text, texts } from '../../format/schema/index.ts'
import { mergeMember, type Partly, sortedSet } from './schema/patches.ts'
import { maskSecret } from './schema/secrets.ts'
import { setting } from './schema/setting.ts'

type Greeting = { readonly words: readonly string[]; readonly secret: string | null }
type GreetingPatch = Partly<Greeting>

const DEFAULT: Greeting = { words: ['hello'], secret: null }

const masked = <G extends GreetingPatch>(greeting: G): G =>
  greeting.secret ? { ...greeting, secret: maskSecret(greeting.secret) } : greeting

export const greeting = setting<Greeting, GreetingPatch>()({
  code: 'invalid_settings_greeting',
  advice: 'send an object of `words` and `secret`.',
  change: 'members',
  default: DEFAULT,
  stored: object<Greeting>({ words: texts, secret: nullable(text) }),
  merge: (current, { words, secret }) => ({
    words: mergeMember(words ? sortedSet(words) : words, current.words, DEFAULT.words),
    secret: mergeMember(secret, current.secret, DEFAULT.secret),
  }),
  render: masked,
  transfer: (value) => value,
  renderPatch: (patch) => (patch ? masked(patch) : null),
  olderNames: ['salutation'],
  handles: { layer: 'text', how: (value, field) => value.words.includes(field) },
})
