// Dynamic search rules: listing, reading, creating, changing, deleting. Rules change by tasks.
import {
  formatMicros,
  type RuleTarget,
  type RuleTargets,
  type SearchRule,
  type TaskContent,
  type View,
} from '../../engine/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Reply, RequestContext, Route } from '../http/messages/index.ts'
import { type RuleListing, readMetadataQuery } from '../parse/index.ts'
import { indexUidProblem, isIndexUid } from '../parse/schema/index.ts'
import { accepted, checkFeature, okReply, type RouteOptions } from './context/index.ts'

type OfRule = { readonly params: { readonly ruleUid: string } }

/** @throws ApiError invalid_dynamic_search_rule_uid */
const checkName = ({ params: { ruleUid } }: OfRule): null => {
  if (isIndexUid(ruleUid)) return null
  throw new ApiError('invalid_dynamic_search_rule_uid', indexUidProblem(ruleUid))
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
  const { administration } = engine
  const gate = (action: string): void => {
    checkFeature(administration.features, 'dynamicSearchRules', action)
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
    route('POST', '/dynamic-search-rules', LIST, async ({ body }) => {
      gate('Calling the `POST /dynamic-search-rules` route')
      if (body.showTarget) return okReply(targetPage(await administration.ruleTargets(), body))
      const { offset, limit, filter } = body
      const all = administration.rules().filter((rule) => passes(rule, filter))
      const results = all.slice(offset, offset + limit).map(view)
      return okReply({ results, offset, limit, total: all.length })
    }),
    route('DELETE', '/dynamic-search-rules', CLEAR, ({ query, context }) => {
      gate(WRITES)
      return write(context, { kind: 'dsrClear' }, query.customMetadata)
    }),
    route('GET', '/dynamic-search-rules/:ruleUid', READ, ({ params: { ruleUid } }) => {
      gate('Calling the `GET /dynamic-search-rules/{:ruleUid}` route')
      const rule = administration.rules().find(({ uid }) => uid === ruleUid)
      if (rule !== undefined) return okReply(view(rule))
      throw notFound(ruleUid)
    }),
    route('GET', '/dynamic-search-rules/:ruleUid/target', READ, async ({ params: { ruleUid } }) => {
      gate('Calling the `GET /dynamic-search-rules/{:ruleUid}/target` route')
      const rule = (await administration.ruleTargets()).rules.find(({ uid }) => uid === ruleUid)
      if (rule !== undefined) return okReply(targetView(rule))
      throw notFound(ruleUid)
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

const notFound = (uid: string): ApiError =>
  new ApiError('dynamic_search_rule_not_found', `Dynamic search rule \`${uid}\` not found.`)

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Each word of the query must be a prefix of a word in the description. */
function passes({ description = '', active }: SearchRule, filter: RuleListing['filter']): boolean {
  if (filter === null) return true
  if (filter.active !== null && filter.active !== active) return false
  const words = wordsOf(description)
  return wordsOf(filter.query ?? '').every((word) => words.some((one) => one.startsWith(word)))
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

const targetView = ({ current, target, taskUids }: RuleTarget): View => ({
  current: current === null ? null : view(current),
  target: target === null ? null : view(target),
  needsProcessing: taskUids.length > 0,
  taskUids,
})

/**
 * A page of rules as they will be; rules that will be removed as they are. Rules that tasks create
 * and remove again are not listed. The members about all rules ignore the filter.
 */
function targetPage(
  { rules, taskUids: pending }: RuleTargets,
  { offset, limit, filter }: RuleListing,
): View {
  const found = rules.flatMap(({ current, target, taskUids }) => {
    const rule = target ?? current
    if (rule === null || !passes(rule, filter)) return []
    return [{ rule, needsProcessing: taskUids.length > 0 }]
  })
  const page = found.slice(offset, offset + limit)
  return {
    results: page.map(({ rule, needsProcessing }) => ({ ...view(rule), needsProcessing })),
    offset,
    limit,
    total: found.length,
    needsProcessing: pending.length > 0,
    taskUids: pending,
    totalRuleCount: rules.filter(({ current }) => current !== null).length,
    targetTotalRuleCount: rules.filter(({ target }) => target !== null).length,
  }
}
