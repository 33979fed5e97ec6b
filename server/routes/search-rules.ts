// Dynamic search rules: listing, looking, making, changing, deleting. Rules change by tasks.
import { formatMicros, type SearchRule, type TaskContent, type View } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { type Reply, type Route, type Rules, route } from '../http/index.ts'
import { indexUidProblem, isIndexUid, readMetadataQuery } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'
import { accepted, found } from './views.ts'

const LIST: Rules = { permits: 'dynamicSearchRules.get', body: 'json', query: false }
const READ: Rules = { permits: 'dynamicSearchRules.get', body: 'none', query: false }
const UPDATE: Rules = { permits: 'dynamicSearchRules.update', body: 'json', query: true }
const DELETE: Rules = { permits: 'dynamicSearchRules.delete', body: 'none', query: true }

/** The index that tasks about rules name. */
const RULES_INDEX = '.meili_dsr'
const WRITES = 'Using the `/dynamic-search-rules` routes'

export function searchRuleRoutes({ engine, bodies }: RouteOptions): readonly Route[] {
  const gate = (action: string): void => {
    checkFeature(engine.features, 'dynamicSearchRules', action)
  }
  const write = async (content: TaskContent, customMetadata: string | null): Promise<Reply> =>
    accepted(await engine.enqueue({ indexUid: RULES_INDEX, content, customMetadata }))

  return [
    route('POST', '/dynamic-search-rules', LIST, async (request) => {
      const { offset, limit, filter } = await bodies.read(request, 'ruleListing')
      gate('Calling the `POST /dynamic-search-rules` route')
      const all = engine.rules().filter((rule) => filter === null || passes(rule, filter))
      const results = all.slice(offset, offset + limit).map(view)
      return found({ results, offset, limit, total: all.length })
    }),
    route('DELETE', '/dynamic-search-rules', DELETE, ({ query }) => {
      const { customMetadata } = readMetadataQuery(query)
      gate(WRITES)
      return write({ kind: 'dsrClear' }, customMetadata)
    }),
    route('GET', '/dynamic-search-rules/:ruleUid', READ, ({ params: { ruleUid } }) => {
      if (!isIndexUid(ruleUid)) return noName(ruleUid)
      gate('Calling the `GET /dynamic-search-rules/{:ruleUid}` route')
      const rule = engine.rules().find(({ uid }) => uid === ruleUid)
      if (rule !== undefined) return found(view(rule))
      const message = `Dynamic search rule \`${ruleUid}\` not found.`
      throw new ApiError('dynamic_search_rule_not_found', message)
    }),
    route('PATCH', '/dynamic-search-rules/:ruleUid', UPDATE, async (request) => {
      const { ruleUid } = request.params
      if (!isIndexUid(ruleUid)) return noName(ruleUid)
      const { customMetadata } = readMetadataQuery(request.query)
      const rule = await bodies.read(request, 'rulePatch')
      gate(WRITES)
      return write({ kind: 'dsrUpdate', uid: ruleUid, rule }, customMetadata)
    }),
    route('DELETE', '/dynamic-search-rules/:ruleUid', DELETE, ({ params: { ruleUid }, query }) => {
      if (!isIndexUid(ruleUid)) return noName(ruleUid)
      const { customMetadata } = readMetadataQuery(query)
      gate(WRITES)
      return write({ kind: 'dsrUpdate', uid: ruleUid, rule: null }, customMetadata)
    }),
  ]
}

/** What cannot be a name is a path that is not there; clients read the sentence as it is. */
const noName = (uid: string): Reply => ({
  status: 404,
  body: indexUidProblem(uid),
  contentType: 'text/plain; charset=utf-8',
})

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Every word asked for begins a word of the description. */
function passes(
  { description = '', active }: SearchRule,
  asked: { readonly query: string | null; readonly active: boolean | null },
): boolean {
  if (asked.active !== null && asked.active !== active) return false
  const words = wordsOf(description)
  return wordsOf(asked.query ?? '').every((word) => words.some((one) => one.startsWith(word)))
}

const view = ({ uid, description, precedence, ...rest }: SearchRule): View => ({
  uid,
  ...(description === undefined ? {} : { description }),
  lastUpdatedAt: formatMicros(rest.lastUpdatedAt, rest.lastUpdatedNanos),
  ...(precedence === undefined ? {} : { precedence }),
  active: rest.active,
  conditions: rest.conditions,
  actions: rest.actions,
})
