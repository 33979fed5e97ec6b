// `svc-tools network verify`: checks that all replicas are equal.
import {
  flag,
  list,
  mapOf,
  nullable,
  number,
  object,
  open,
  text,
} from '../../format/schema/index.ts'
import { askInstance, type Instance, LONG_ANSWER_MS } from '../remote/index.ts'
import { countText, shorten, table } from '../terminal/index.ts'

type Member = {
  readonly isSettled: boolean | null
  readonly version: string | null
  readonly documents: number | null
  readonly error: string | null
}
type Difference = {
  readonly index: string
  readonly shard: string | null
  readonly instance: string
  readonly problem: string
  readonly documents: number | null
  readonly expectedDocuments: number | null
}
export type Replicas = {
  readonly verdict: string
  readonly instances: { readonly [name: string]: Member }
  readonly differences: readonly Difference[]
}

const REPLICAS = open(
  object<Replicas>({
    verdict: text,
    instances: mapOf(
      open(
        object<Member>({
          isSettled: nullable(flag),
          version: nullable(text),
          documents: nullable(number),
          error: nullable(text),
        }),
      ),
    ),
    differences: list(
      open(
        object<Difference>({
          index: text,
          shard: nullable(text),
          instance: text,
          problem: text,
          documents: nullable(number),
          expectedDocuments: nullable(number),
        }),
      ),
    ),
  }),
)

/** @throws ToolError */
export const readReplicas = (instance: Instance): Promise<Replicas> =>
  askInstance(
    instance,
    {
      method: 'GET',
      path: '/network/replicas',
      action: 'network.get',
      answerMs: LONG_ANSWER_MS,
    },
    REPLICAS,
  )

const VERDICTS: { readonly [verdict: string]: string } = {
  equal:
    'Equal: all owners of each shard have the same documents, and all instances the same settings.',
  different: 'Different, and no running task would change that.',
  unsettled: 'Tasks run, so instances could not be compared. Try again with fewer writes.',
  unreachable: 'All instances that answer are equal, but some do not answer.',
}
const PROBLEMS: { readonly [problem: string]: string } = {
  missingIndex: 'lacks the index',
  settings: 'has other settings',
  documents: 'has other documents',
  foreignDocuments: 'has documents of a shard that it does not own',
}
const SHOWN_MAX = 60

export function replicasText({ verdict, instances, differences }: Replicas): string {
  const members = Object.entries(instances).map(([name, { documents, isSettled, error }]) => [
    shorten(name, SHOWN_MAX),
    documents === null ? '-' : countText(documents),
    error === null ? (isSettled === true ? '' : 'tasks run') : shorten(error, SHOWN_MAX),
  ])
  const rows = differences.map(({ index, shard, instance, problem, ...counts }) => [
    shorten(index, SHOWN_MAX),
    shorten(shard ?? '', SHOWN_MAX),
    shorten(instance, SHOWN_MAX),
    PROBLEMS[problem] ?? shorten(problem, SHOWN_MAX),
    counts.documents === null ? '' : countText(counts.documents),
    counts.expectedDocuments === null ? '' : countText(counts.expectedDocuments),
  ])
  const right = { align: 'right' } as const
  return [
    `${VERDICTS[verdict] ?? shorten(verdict, SHOWN_MAX)}\n`,
    table([{ title: 'instance' }, { title: 'documents', ...right }, { title: '' }], members),
    table(
      [
        { title: 'index' },
        { title: 'shard' },
        { title: 'instance' },
        { title: 'problem' },
        { title: 'documents', ...right },
        { title: 'expected', ...right },
      ],
      rows,
    ),
  ].join('')
}
