// `_rankingScoreDetails`: what each rule said of a hit, by rule · search semantics §9.2.
import { localScore, mergeRanks, rankOf, type ScoreDetail } from '../rank/index.ts'

type Member = { readonly [name: string]: unknown }
export type RenderedDetails = { readonly [rule: string]: Member }

export type DetailOptions = {
  /** The settings name the rule `attribute`, which shows the two halves as one. */
  readonly combinedAttribute: boolean
  /** Whether hits show a field; the others are named by their order alone. */
  readonly isDisplayed: (field: string) => boolean
}

/** The details in rule order; `order` counts entries. */
export function renderDetails(
  details: readonly ScoreDetail[],
  options: DetailOptions,
): RenderedDetails {
  const out: { [rule: string]: Member } = {}
  let order = 0
  for (let i = 0; i < details.length; i++) {
    const detail = details[i]!
    const next = details[i + 1]
    switch (detail.kind) {
      case 'attributeRank':
        if (options.combinedAttribute) {
          const second = next?.kind === 'wordPosition' ? next : null
          out['attribute'] = attributeMember(order++, detail, second)
          if (second !== null) i++
        } else out['attributeRank'] = { order: order++, score: scoreOf(detail) }
        break
      case 'exactAttribute': {
        const words = detail.match === 'noExactMatch' && next?.kind === 'exactWords' ? next : null
        out['exactness'] = exactnessMember(order++, detail, words)
        if (next?.kind === 'exactWords') i++
        break
      }
      case 'sort':
        out[sortKey(detail, order, options)] = sortMember(detail, order++, options)
        break
      case 'geo':
        out[geoKey(detail)] = {
          order: order++,
          value: detail.point === null ? null : { lat: detail.point[0], lng: detail.point[1] },
          distance: detail.distance,
        }
        break
      case 'vectorSort':
        out['vectorSort'] = { order: order++, similarity: detail.similarity }
        break
      default:
        out[detail.kind] = plainMember(order++, detail)
    }
  }
  return out
}

type Of<K extends ScoreDetail['kind']> = Extract<ScoreDetail, { kind: K }>

const scoreOf = (detail: ScoreDetail): number => localScore(rankOf(detail)!)

function plainMember(order: number, detail: ScoreDetail): Member {
  switch (detail.kind) {
    case 'words':
      return {
        order,
        matchingWords: detail.rank,
        maxMatchingWords: detail.max,
        score: scoreOf(detail),
      }
    case 'typo':
      return {
        order,
        typoCount: detail.typos,
        maxTypoCount: detail.typosMax,
        score: scoreOf(detail),
      }
    case 'skipped':
      return { order }
    default:
      return { order, score: scoreOf(detail) }
  }
}

function attributeMember(
  order: number,
  rank: Of<'attributeRank'>,
  position: Of<'wordPosition'> | null,
): Member {
  const merged = position === null ? rank : mergeRanks(rank, position)
  return {
    order,
    attributeRankingOrderScore: scoreOf(rank),
    queryWordDistanceScore: position === null ? 0 : scoreOf(position),
    score: localScore(merged),
  }
}

function exactnessMember(
  order: number,
  attribute: Of<'exactAttribute'>,
  words: Of<'exactWords'> | null,
): Member {
  const matchType = attribute.match
  if (words === null) return { order, matchType, score: scoreOf(attribute) }
  const merged = mergeRanks(rankOf(attribute)!, rankOf(words)!)
  return {
    order,
    matchType,
    matchingWords: words.matching,
    maxMatchingWords: words.max,
    score: localScore(merged),
  }
}

const direction = (ascending: boolean): string => (ascending ? 'asc' : 'desc')

function sortKey(detail: Of<'sort'>, order: number, options: DetailOptions): string {
  if (!options.isDisplayed(detail.field)) return `<hidden-rule-${order}>`
  return `${detail.field}:${direction(detail.ascending)}`
}

function sortMember(detail: Of<'sort'>, order: number, options: DetailOptions): Member {
  return { order, value: options.isDisplayed(detail.field) ? detail.value : '<hidden>' }
}

const geoKey = ({ target, ascending }: Of<'geo'>): string =>
  `_geoPoint(${signed(target[0])}, ${signed(target[1])}):${direction(ascending)}`

/** A number in digits; what came as a negative zero stays one. */
const signed = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))
