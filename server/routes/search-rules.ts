// Dynamic search rules: listing, reading, creating, changing, deleting. Rules change by tasks.
import { formatMicros, type SearchRule, type TaskContent, type View } from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Reply, RequestContext, Route } from '../http/messages/index.ts'
import { readMetadataQuery } from '../parse/index.ts'
import { indexUidProblem, isIndexUid } from '../parse/schema/index.ts'
import { accepted, checkFeature, okReply, type RouteOptions } from './context/index.ts'

type OfRule = { readonly params: { readonly ruleUid: string } }

/** An invalid name is answered like an unknown path, with this text. */
const checkName = ({ params: { ruleUid } }: OfRule): Reply | null => {
  if (isIndexUid(ruleUid)) return null
  const contentType = 'text/plain; charset=utf-8'
  return { status: 404, body: indexUidProblem(ruleUid), contentType }
}

const LIST = {
  permits: 'dynamicSearchRules.get',
  body: jsonBody('ruleListing'),
  query: null,
} as const
const READ = {
  permits: 'dynamicSearchRules.get',
  body: 'none',
  query: null,
  precheck: checkName,
} as const
const UPDATE = {
  permits: 'dynamicSearchRules.update',
  body: jsonBody('rulePatch'),
  query: readMetadataQuery,
  precheck: checkName,
} as const
const CLEAR = {
  permits: 'dynamicSearchRules.delete',
  body: 'none',
  query: readMetadataQuery,
} as const
const DELETE = { ...CLEAR, precheck: checkName } as const

/** The index that tasks about rules name. */
const RULES_INDEX = asIndexUid('.meili_dsr')
const WRITES = 'Using the `/dynamic-search-rules` routes'

export function searchRuleRoutes({ engine, registrationOf }: RouteOptions): readonly Route[] {
  const gate = (action: string): void => {
    checkFeature(engine.administration.features, 'dynamicSearchRules', action)
  }
  const write = async (
    context: RequestContext,
    content: TaskContent,
    customMetadata: string | null,
  ): Promise<Reply> => {
    const registration = registrationOf(context)
    const request = { indexUid: RULES_INDEX, content, customMetadata, registration }
    return accepted(await engine.tasks.enqueue(request))
  }

  return [
    route('POST', '/dynamic-search-rules', LIST, ({ body: { offset, limit, filter } }) => {
      gate('Calling the `POST /dynamic-search-rules` route')
      const all = engine.administration
        .rules()
        .filter((rule) => filter === null || passes(rule, filter))
      const results = all.slice(offset, offset + limit).map(view)
      return okReply({ results, offset, limit, total: all.length })
    }),
    route('DELETE', '/dynamic-search-rules', CLEAR, ({ query, context }) => {
      gate(WRITES)
      return write(context, { kind: 'dsrClear' }, query.customMetadata)
    }),
    route('GET', '/dynamic-search-rules/:ruleUid', READ, ({ params: { ruleUid } }) => {
      gate('Calling the `GET /dynamic-search-rules/{:ruleUid}` route')
      const rule = engine.administration.rules().find(({ uid }) => uid === ruleUid)
      if (rule !== undefined) return okReply(view(rule))
      const message = `Dynamic search rule \`${ruleUid}\` not found.`
      throw new ApiError('dynamic_search_rule_not_found', message)
    }),
    route('PATCH', '/dynamic-search-rules/:ruleUid', UPDATE, (request) => {
      const { params, query, body: rule, context } = request
      gate(WRITES)
      const content = { kind: 'dsrUpdate', uid: params.ruleUid, rule } as const
      return write(context, content, query.customMetadata)
    }),
    route('DELETE', '/dynamic-search-rules/:ruleUid', DELETE, ({ params, query, context }) => {
      gate(WRITES)
      const content = { kind: 'dsrUpdate', uid: params.ruleUid, rule: null } as const
      return write(context, content, query.customMetadata)
    }),
  ]
}

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Each word of the query must be a prefix of a word in the description. */
function passes(
  { description = '', active }: SearchRule,
  query: { readonly query: string | null; readonly active: boolean | null },
): boolean {
  if (query.active !== null && query.active !== active) return false
  const words = wordsOf(description)
  return wordsOf(query.query ?? '').every((word) => words.some((one) => one.startsWith(word)))
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
