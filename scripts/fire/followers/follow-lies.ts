// A store that fails the session about followers, and lies to it: objects of others among the
// heads, lists that are old or ignore the prefix. And objects of other places, which must stay.
import { createHash } from 'node:crypto'
import type { Random } from '../../../engine/store/storage/index.ts'
import type { Trouble } from '../../../server/testing/index.ts'
import type { FireStore, StoreWay, WayAnswer, WayRequest } from '../parts/store.ts'

/** The prefix of the place, and the name of its database folder. */
const HOME = 'fire/data.ms/'
const HEADS = `${HOME}published/`
const HEAD = /^9\d{7}-\d{12}-[0-9a-f]{8}$/

/** Objects of others; some of their keys look like keys of the place. */
const FOREIGN: readonly string[] = [
  'a.txt',
  'fire',
  'fire/data',
  'fire/data.ms2/published/90000001-000000000001-00000001.json',
  'fire/data.ms2/files/x',
  'fire/data.msx',
  'fire/other.ms/writer.json',
  `other/${HEADS}90000001-000000000001-00000001.json`,
  `${HOME}files/notes.txt`,
  `${HOME}files/sub/0000.seg`,
  `${HOME}published/notes.txt`,
  `${HOME}published/sub/90000001-000000000001-00000001.json`,
  `${HOME}followers/notes.txt`,
  `${HOME}unknown/1`,
  'fire/data.ms.snapshot.old',
  'zz/last',
]

export class StoreLies {
  readonly #store: FireStore
  readonly #way: StoreWay
  readonly #random: Random
  readonly #garbage = new Set<string>()

  constructor(store: FireStore, way: StoreWay, random: Random) {
    this.#store = store
    this.#way = way
    this.#random = random
    for (const key of FOREIGN) this.#put(key, foreignBytes(key))
  }

  /** Returns the keys of foreign objects that are gone or changed. */
  goneForeign(): readonly string[] {
    return FOREIGN.filter(
      (key) => this.#store.objects.get(key)?.bytes.equals(foreignBytes(key)) !== true,
    )
  }

  /** The name of the newest published state, or empty. */
  get newest(): string {
    return this.#heads().at(-1) ?? ''
  }

  /** Puts other objects among the heads. `isLast`: one of them sorts after all heads. */
  putGarbage(): { readonly what: string; readonly isLast: boolean } {
    const { newest } = this
    const head = this.#store.objects.get(`${HEADS}${newest}.json`)?.bytes ?? Buffer.from('{}')
    const late = `9${9_000_000 + this.#random.below(900_000)}-000000000001-deadbeef`
    const choices: readonly (readonly [string, string, Buffer])[] = [
      ['a head under a name that is not its own', late, head],
      ['half of a head', late, head.subarray(0, head.length / 2)],
      ['bytes', late, Buffer.from([0, 1, 2, 255])],
      ['no bytes', late, Buffer.alloc(0)],
      ['other JSON', late, Buffer.from('{"a":[1]}')],
      ['a head with a clock in its name', '20991231-235959000000-deadbeef', head],
      ['a head beside its own', newest.replace(/........$/, 'deadbeef'), head.subarray(1)],
    ]
    const [what, name, bytes] = choices[this.#random.below(choices.length)]!
    this.#putGarbage(`${HEADS}${name}.json`, bytes)
    this.#putGarbage(HEADS, Buffer.alloc(0))
    this.#putGarbage(`${HOME}followers/deadbeef.json`, Buffer.from('no lease'))
    return { what: `${what} among the heads`, isLast: name === late }
  }

  removeGarbage(): void {
    for (const key of this.#garbage) this.#store.objects.delete(key)
    this.#garbage.clear()
  }

  /** Lists show nothing that is written from now on, and not the newest heads. */
  hideNewest(): string {
    const all = this.#heads()
    const count = this.#random.below(3)
    const hidden = new Set(all.slice(all.length - count))
    const known = new Set([...this.#store.objects.keys()].filter((key) => !hidden.has(nameOf(key))))
    this.#way.lie = (asked, answer) =>
      isList(asked, answer) ? listed(answer, (key) => known.has(key), []) : null
    return `lists are old by ${count} heads`
  }

  /** Lists hold objects of other places as well. */
  ignorePrefix(): string {
    const others = FOREIGN.filter((key) => !key.startsWith(HOME))
    const shown = others.filter(() => this.#random.below(3) === 0).concat('zz/last')
    this.#way.lie = (asked, answer) =>
      isList(asked, answer) ? listed(answer, () => true, shown) : null
    return 'lists ignore the prefix'
  }

  /** Lets requests fail; returns how. */
  fail(): string {
    const random = this.#random
    const share = 1 + random.below(6)
    const trouble = troubleOf(random)
    this.#way.trouble = () => (random.below(share) === 0 ? trouble : null)
    return `store: ${trouble.kind}, 1 request of ${share}`
  }

  /** Ends the failures, and breaks connections that hang. */
  work(): void {
    this.#way.trouble = () => null
    this.#way.breakAll()
  }

  /** Ends what the lists do. */
  tellTruth(): void {
    this.#way.lie = () => null
  }

  #heads(): readonly string[] {
    const keys = [...this.#store.objects.keys()].filter((key) => !this.#garbage.has(key))
    return keys
      .map(nameOf)
      .filter((name) => HEAD.test(name))
      .sort()
  }

  #putGarbage(key: string, bytes: Buffer): void {
    this.#garbage.add(key)
    this.#put(key, bytes)
  }

  #put(key: string, bytes: Buffer): void {
    this.#store.objects.set(key, { bytes, etag: createHash('md5').update(bytes).digest('hex') })
  }
}

/** Returns the name in the key of a head, or another text. */
const nameOf = (key: string): string =>
  key.startsWith(HEADS) ? key.slice(HEADS.length).replace(/\.json$/, '') : ''

const foreignBytes = (key: string): Buffer => Buffer.from(`object ${key} of another program`)

const isList = ({ url }: WayRequest, { status }: WayAnswer): boolean =>
  url.includes('list-type=2') && status === 200

function listed(
  { body }: WayAnswer,
  isShown: (key: string) => boolean,
  more: readonly string[],
): string {
  const entries = more.map(
    (key) =>
      `<Contents><Key>${encodeURIComponent(key)}</Key>` +
      '<LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents>',
  )
  return body
    .toString()
    .replace(/<Contents>.*?<Key>(.*?)<\/Key>.*?<\/Contents>/gs, (entry, key: string) =>
      isShown(decodeURIComponent(key)) ? entry : '',
    )
    .replace('</ListBucketResult>', `${entries.join('')}</ListBucketResult>`)
}

function troubleOf(random: Random): Trouble {
  const troubles: readonly Trouble[] = [
    { kind: 'status', status: 503, body: 'busy' },
    { kind: 'status', status: 403, body: 'no' },
    { kind: 'reset' },
    { kind: 'lost' },
    { kind: 'half' },
    { kind: 'hang' },
    { kind: 'slow', ms: 100 + random.below(300) },
  ]
  return troubles[random.below(troubles.length)]!
}

/** Seconds by which the clock of an instance is ahead: stores refuse more than 15 minutes. */
const JUMPS_S = [0, 0, 3, 60, 600, -3, -60, -600, -7200]

export const jumpOf = (random: Random): number => JUMPS_S[random.below(JUMPS_S.length)]! * 1000
