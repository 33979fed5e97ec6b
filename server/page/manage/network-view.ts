// The network view: the instances, the owners of each shard, and a running change of the topology.
import {
  ask,
  bar,
  errorNote,
  fill,
  h,
  isAbort,
  type PageView,
  plural,
  ServerError,
  type Site,
} from '../parts/index.ts'
import {
  type ChangeModel,
  type InstanceRow,
  type NetworkAnswer,
  type NetworkModel,
  networkModel,
  type ShardRow,
} from './network-model.ts'

export const readNetwork = (): Promise<NetworkAnswer> =>
  ask<NetworkAnswer>('GET', '/network/status')

export function networkView(site: Site): PageView {
  const element = h('div', { class: 'column network' })
  /** The data that is shown, as JSON: equal data is not rendered again. */
  let shown = ''
  const read = (): void => {
    readNetwork().then(
      (answer) => {
        const text = JSON.stringify(answer)
        if (text === shown) return
        shown = text
        fill(element, contents(networkModel(answer)))
      },
      (error: unknown) => {
        if (isAbort(error)) return
        if (!(error instanceof ServerError)) throw error
        shown = ''
        fill(element, errorNote(error, site))
      },
    )
  }
  return { element, refresh: read, tick: read }
}

const contents = ({
  summary,
  replicas,
  instances,
  shards,
  change,
}: NetworkModel): readonly (HTMLElement | null)[] => [
  h(
    'div',
    { class: 'tools' },
    h('p', { class: 'summary', role: 'status' }, summary),
    replicas === null
      ? null
      : h(
          'span',
          { class: `pill ${replicas.isGood ? 'is-succeeded' : 'is-failed'}` },
          replicas.text,
        ),
  ),
  change === null ? null : changeCard(change),
  h('div', { class: 'cards' }, instances.map(instanceCard)),
  shards === null ? null : shardTable(shards, instances),
]

function changeCard({ taskUid, phases, message, share }: ChangeModel): HTMLElement {
  return h(
    'article',
    { class: 'card change', 'aria-live': 'polite' },
    h(
      'header',
      {},
      h('h2', {}, 'Documents move'),
      h('span', { class: 'pill is-processing' }, `task ${taskUid}`),
    ),
    h(
      'ol',
      { class: 'phases' },
      phases.map(({ name, state }) =>
        h(
          'li',
          { class: `is-${state}`, 'aria-current': state === 'current' ? 'step' : null },
          name,
        ),
      ),
    ),
    share === null ? null : bar(share, `${Math.round(share * 100)} % of the documents`),
    message === null ? null : h('p', { class: 'muted' }, message),
  )
}

const instanceCard = ({ name, url, roles, isAvailable, shards, notes }: InstanceRow): HTMLElement =>
  h(
    'article',
    { class: 'card' },
    h(
      'header',
      {},
      h('h2', {}, name),
      roles.map((role) => h('span', { class: 'pill' }, role)),
      isAvailable
        ? h('span', { class: 'pill is-succeeded' }, 'available')
        : h('span', { class: 'pill is-failed' }, 'unavailable'),
    ),
    h('p', { class: 'muted instance-url' }, url),
    h('p', {}, plural(shards, 'shard')),
    notes.length === 0
      ? null
      : h(
          'ul',
          { class: 'instance-notes' },
          notes.map((note) => h('li', {}, note)),
        ),
  )

function shardTable(shards: readonly ShardRow[], instances: readonly InstanceRow[]): HTMLElement {
  return h(
    'div',
    { class: 'shards' },
    h(
      'table',
      {},
      h('caption', {}, 'Owners of each shard'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'shard'),
          instances.map(({ name }) => h('th', { scope: 'col' }, name)),
          h('th', { scope: 'col' }, 'can be asked'),
        ),
      ),
      h(
        'tbody',
        {},
        shards.map((shard) => shardLine(shard, instances)),
      ),
    ),
  )
}

const shardLine = (
  { name, owners, available }: ShardRow,
  instances: readonly InstanceRow[],
): HTMLElement => {
  const count = owners.filter(Boolean).length
  return h(
    'tr',
    { class: available === 0 ? 'is-lost' : null },
    h('th', { scope: 'row' }, name),
    owners.map((owns, i) => {
      const { name: instance, isAvailable } = instances[i]!
      if (!owns) return h('td', {})
      const words = `${instance} holds ${name}`
      return h(
        'td',
        {},
        h('span', {
          class: `owner ${isAvailable ? '' : 'is-away'}`,
          role: 'img',
          'aria-label': words,
          title: words,
        }),
      )
    }),
    h('td', {}, `${available} of ${count}`),
  )
}
