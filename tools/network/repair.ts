// `svc-tools network verify --repair`: starts the repair of replicas that differ.
import { list, mapOf, object, open, text, texts } from '../../format/schema/index.ts'
import { askInstance, type Instance, LONG_ANSWER_MS } from '../remote/index.ts'
import { shorten, table } from '../terminal/index.ts'

type Unclear = {
  readonly index: string
  readonly shard: string
  readonly instances: readonly string[]
}
export type Repair = {
  readonly verdict: string
  /** By instance: names of the shards that are sent to it again. */
  readonly repaired: { readonly [instance: string]: readonly string[] }
  readonly unclear: readonly Unclear[]
}

const REPAIR = open(
  object<Repair>({
    verdict: text,
    repaired: mapOf(texts),
    unclear: list(open(object<Unclear>({ index: text, shard: text, instances: texts }))),
  }),
)

/** `instances` are wrong where others differ from them. @throws ToolError */
export const repairReplicas = (
  instance: Instance,
  instances: readonly string[],
): Promise<Repair> => {
  const body = JSON.stringify({ instances })
  const path = '/network/repair'
  const request = { method: 'POST', path, body, action: 'network.update' } as const
  return askInstance(instance, { ...request, answerMs: LONG_ANSWER_MS }, REPAIR)
}

const SHOWN_MAX = 60
const HINT =
  'Name the instance that is wrong with --wrong NAME: it gets the shard from the others.\n'

export function repairText({ verdict, repaired, unclear }: Repair): string {
  const names = Object.keys(repaired)
  if (names.length === 0 && unclear.length === 0) {
    return verdict === 'different' ? 'A repair has begun already.\n' : 'Nothing was repaired.\n'
  }
  const started = Object.entries(repaired).map(([name, shards]) => [
    shorten(name, SHOWN_MAX),
    shards.length === 0 ? 'definitions of indexes' : shorten(shards.join(' '), SHOWN_MAX),
  ])
  const rows = unclear.map(({ index, shard, instances }) => [
    shorten(index, SHOWN_MAX),
    shorten(shard, SHOWN_MAX),
    shorten(instances.join(' '), SHOWN_MAX),
  ])
  const parts = [
    names.length === 0 ? 'Nothing was repaired.\n' : 'These get again what differs:\n',
    table([{ title: 'instance' }, { title: 'shards' }], started),
  ]
  if (rows.length > 0) {
    parts.push(
      'It is unknown which owner of these is right:\n',
      table([{ title: 'index' }, { title: 'shard' }, { title: 'owners' }], rows),
      HINT,
    )
  }
  return parts.join('')
}
