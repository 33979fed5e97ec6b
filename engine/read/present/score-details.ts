// Writes `_rankingScoreDetails` as JSON: the score of each rule for a hit, by rule
// (docs/search-semantics.md#scores). The text is built here, because scores are floats (`1.0`),
// which `JSON.stringify` cannot write.
import { isExactNumber } from '../../../format/bytes/index.ts'
import { exactNumberJson, floatText } from '../../../format/json/index.ts'
import type { BoostFactor } from '../boosts/index.ts'
import { boundedScore, localScore, mergeRanks, rankOf, type ScoreDetail } from '../rank/index.ts'

export type DetailOptions = {
  /** True if the settings name the rule `attribute`, which combines two rules. */
  readonly combinedAttribute: boolean
  /** Returns true if hits show the field; other fields are represented by their position. */
  readonly isDisplayed: (field: string) => boolean
  /** Words of the query that the document has only in another form; none without stems. */
  readonly otherForms?: readonly string[]
}

/** The search rules and the boosts that scale a hit, and the product of all. */
export type Scaling = {
  readonly rules: readonly string[]
  readonly boosts: readonly BoostFactor[]
  readonly weight: number
}

/**
 * Returns a JSON object with the details in the order of the rules; `order` numbers the entries.
 * The scaling comes last.
 */
export function renderDetails(
  details: readonly ScoreDetail[],
  options: DetailOptions,
  scaling: Scaling | null = null,
): string {
  const members = new DetailMembers()
  let order = 0
  for (let i = 0; i < details.length; i++) {
    const detail = details[i]!
    const next = details[i + 1]
    switch (detail.kind) {
      case 'attributeRank':
        if (options.combinedAttribute) {
          const second = next?.kind === 'wordPosition' ? next : null
          members.add('attribute', attributeText(order++, detail, second))
          if (second !== null) i++
        } else members.add('attributeRank', scoreText(order++, detail))
        break
      case 'exactAttribute': {
        const words = detail.match === 'noExactMatch' && next?.kind === 'exactWords' ? next : null
        members.add('exactness', exactnessText(order++, detail, words))
        if (next?.kind === 'exactWords') i++
        break
      }
      case 'sort':
        members.add(sortKey(detail, order, options), sortText(detail, order++, options))
        break
      case 'geo':
        members.add(geoKey(detail), geoText(order++, detail))
        break
      case 'bm25':
        members.add('bm25', bm25Text(order++, detail))
        break
      case 'fusion':
        members.add('fusion', fusionText(order++, detail))
        break
      case 'vectorSort':
        members.add(
          'vectorSort',
          `{"order":${order++},"similarity":${floatOrNull(detail.similarity)}}`,
        )
        break
      default:
        members.add(detail.kind, plainText(order++, detail, options.otherForms ?? []))
    }
  }
  if (scaling !== null) members.add('scale', scalingText(order, scaling))
  return members.text()
}

/** Members of an object; a repeated name replaces the value. */
class DetailMembers {
  readonly #names: string[] = []
  readonly #values: string[] = []

  add(name: string, value: string): void {
    const at = this.#names.indexOf(name)
    if (at >= 0) this.#values[at] = value
    else {
      this.#names.push(name)
      this.#values.push(value)
    }
  }

  text(): string {
    let text = ''
    for (let i = 0; i < this.#names.length; i++) {
      text += `${i === 0 ? '{' : ','}${JSON.stringify(this.#names[i])}:${this.#values[i]}`
    }
    return text === '' ? '{}' : `${text}}`
  }
}

type Of<K extends ScoreDetail['kind']> = Extract<ScoreDetail, { kind: K }>

const scoreOf = (detail: ScoreDetail): string => floatText(localScore(rankOf(detail)!))

const scoreText = (order: number, detail: ScoreDetail): string =>
  `{"order":${order},"score":${scoreOf(detail)}}`

const floatOrNull = (value: number | null): string =>
  value === null || !Number.isFinite(value) ? 'null' : floatText(value)

function plainText(order: number, detail: ScoreDetail, forms: readonly string[]): string {
  switch (detail.kind) {
    case 'words':
      return (
        `{"order":${order},"matchingWords":${detail.rank},` +
        `"maxMatchingWords":${detail.max},"score":${scoreOf(detail)}}`
      )
    case 'typo':
      return (
        `{"order":${order},"typoCount":${detail.typos},` +
        `"maxTypoCount":${detail.typosMax},"score":${scoreOf(detail)}` +
        `${forms.length === 0 ? '' : `,"otherForms":${JSON.stringify(forms)}`}}`
      )
    case 'skipped':
      return `{"order":${order}}`
    default:
      return scoreText(order, detail)
  }
}

function scalingText(order: number, { rules, boosts, weight }: Scaling): string {
  const each = boosts.map(
    ({ position, factor }) => `{"position":${position},"factor":${floatText(factor)}}`,
  )
  const boosted = each.length === 0 ? '' : `"boosts":[${each.join(',')}],`
  return `{"order":${order},"rules":${JSON.stringify(rules)},${boosted}"weight":${floatText(weight)}}`
}

function attributeText(
  order: number,
  rank: Of<'attributeRank'>,
  position: Of<'wordPosition'> | null,
): string {
  const merged = position === null ? rank : mergeRanks(rank, position)
  const distance = position === null ? '0.0' : scoreOf(position)
  return (
    `{"order":${order},"attributeRankingOrderScore":${scoreOf(rank)},` +
    `"queryWordDistanceScore":${distance},"score":${floatText(localScore(merged))}}`
  )
}

function exactnessText(
  order: number,
  attribute: Of<'exactAttribute'>,
  words: Of<'exactWords'> | null,
): string {
  const head = `{"order":${order},"matchType":"${attribute.match}"`
  if (words === null) return `${head},"score":${scoreOf(attribute)}}`
  const merged = mergeRanks(rankOf(attribute)!, rankOf(words)!)
  return (
    `${head},"matchingWords":${words.matching},"maxMatchingWords":${words.max},` +
    `"score":${floatText(localScore(merged))}}`
  )
}

function bm25Text(order: number, { score, shares }: Of<'bm25'>): string {
  const words = shares().map(
    ({ word, idf, frequency, lengthNorm, contribution }) =>
      `{"word":${JSON.stringify(word)},"idf":${floatText(idf)},"frequency":${floatText(frequency)},` +
      `"lengthNorm":${floatText(lengthNorm)},"contribution":${floatText(contribution)}}`,
  )
  return (
    `{"order":${order},"bm25":${floatText(score)},"words":[${words.join()}],` +
    `"score":${floatText(boundedScore(score))}}`
  )
}

const fusionText = (order: number, { wordsRank, vectorRank, score }: Of<'fusion'>): string =>
  `{"order":${order},"wordsRank":${wordsRank},"vectorRank":${vectorRank},` +
  `"score":${floatText(score)}}`

const direction = (ascending: boolean): string => (ascending ? 'asc' : 'desc')

function sortKey(detail: Of<'sort'>, order: number, options: DetailOptions): string {
  if (!options.isDisplayed(detail.field)) return `<hidden-rule-${order}>`
  return `${detail.field}:${direction(detail.ascending)}`
}

function sortText(detail: Of<'sort'>, order: number, options: DetailOptions): string {
  const value = options.isDisplayed(detail.field) ? detail.value : '<hidden>'
  return `{"order":${order},"value":${valueText(value)}}`
}

/** Numeric sort values are written as floats, but for large whole numbers. */
const valueText = (value: Of<'sort'>['value']): string =>
  isExactNumber(value) ? exactNumberJson(value) : JSON.stringify(value)

const geoKey = ({ target, ascending }: Of<'geo'>): string =>
  `_geoPoint(${signed(target[0])}, ${signed(target[1])}):${direction(ascending)}`

function geoText(order: number, { point, distance }: Of<'geo'>): string {
  const value =
    point === null ? 'null' : `{"lat":${floatText(point[0])},"lng":${floatText(point[1])}}`
  return `{"order":${order},"value":${value},"distance":${floatOrNull(distance)}}`
}

/** A number in digits; a negative zero keeps its sign. */
const signed = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))
