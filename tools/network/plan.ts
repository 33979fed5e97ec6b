// `svc-tools network plan`: shows the documents that a change of the network would move, without
// making it.
import { list, mapOf, number, object, open, text, texts } from '../../format/schema/index.ts'
import { askInstance, fileText, type Instance, LONG_ANSWER_MS } from '../remote/index.ts'
import { bytesText, countOf, countText, shorten, ToolError, table } from '../terminal/index.ts'

type Amount = { readonly documents: number; readonly bytes: number }
type Member = {
  readonly shardsBefore: readonly string[]
  readonly shardsAfter: readonly string[]
  readonly holds: Amount
  readonly receives: Amount
  readonly sends: Amount
  readonly deletes: Amount
}
type Move = Amount & { readonly from: string; readonly to: string }
export type Plan = {
  readonly instances: { readonly [name: string]: Member }
  readonly moves: readonly Move[]
  readonly unreachable: readonly string[]
}

const AMOUNT = open(object<Amount>({ documents: number, bytes: number }))
const PLAN = open(
  object<Plan>({
    instances: mapOf(
      open(
        object<Member>({
          shardsBefore: texts,
          shardsAfter: texts,
          holds: AMOUNT,
          receives: AMOUNT,
          sends: AMOUNT,
          deletes: AMOUNT,
        }),
      ),
    ),
    moves: list(open(object<Move>({ from: text, to: text, documents: number, bytes: number }))),
    unreachable: texts,
  }),
)

/** `change`: the body of `PATCH /network`, or `@FILE` with that body. @throws ToolError */
export function readPlan(instance: Instance, change: string): Promise<Plan> {
  const body = change.startsWith('@') ? fileText(change.slice(1)) : change
  checkJson(body)
  return askInstance(
    instance,
    {
      method: 'POST',
      path: '/network/plan',
      body,
      action: 'network.get',
      answerMs: LONG_ANSWER_MS,
    },
    PLAN,
  )
}

/** @throws ToolError */
function checkJson(body: string): void {
  try {
    JSON.parse(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ToolError(`the change is not JSON: ${error.message}`)
  }
}

const NAME_MAX = 40
const SHARDS_SHOWN_MAX = 40

export function planText({ instances, moves, unreachable }: Plan): string {
  const shown = ({ documents, bytes }: Amount): string =>
    documents === 0 ? '-' : `${countText(documents)} (${bytesText(bytes)})`
  const rows = Object.entries(instances).map(([name, member]) => [
    shorten(name, NAME_MAX),
    shorten(member.shardsBefore.join(' ') || '-', SHARDS_SHOWN_MAX),
    shorten(member.shardsAfter.join(' ') || '-', SHARDS_SHOWN_MAX),
    shown(member.holds),
    shown(member.receives),
    shown(member.sends),
    shown(member.deletes),
  ])
  const titles = ['instance', 'shards now', 'shards then', 'documents', 'receives', 'sends']
  const moved = moves.reduce((sum, { documents }) => sum + documents, 0)
  const bytes = moves.reduce((sum, move) => sum + move.bytes, 0)
  return [
    moved === 0
      ? 'No document would move.\n'
      : `${countOf(moved, 'document')} (${bytesText(bytes)}) would move.\n`,
    table(
      [...titles, 'deletes'].map((title) => ({ title })),
      rows,
    ),
    unreachable.length === 0
      ? ''
      : `Not counted, because they do not answer: ${shorten(unreachable.join(' '), 200)}\n`,
  ].join('')
}
