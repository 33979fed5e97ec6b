// Dynamic search rules as clients send and read them: when a rule applies, and what it does then.
import type { IndexUid } from '../../format/ids.ts'

/** Times are RFC 3339 texts with their original UTC offset. */
export type RuleConditions = {
  readonly time?: { readonly start?: string; readonly end?: string }
  readonly query?: { readonly isEmpty?: boolean; readonly words?: string }
  readonly filter?: { readonly values: { readonly [attribute: string]: unknown } }
}

/** Puts a document at a position of the hits. */
export type PinAction = {
  /** Absent for any index that has the document. */
  readonly indexUid?: IndexUid
  readonly id: string
  readonly position: number
}

/**
 * Multiplies the scores of documents: of those with the ids that pass the filter, each if present;
 * of all documents without both.
 */
export type ScaleAction = {
  /** Absent for all indexes. */
  readonly indexUid?: IndexUid
  readonly ids?: readonly string[]
  /** In any form of a search's filter. */
  readonly filter?: unknown
  /** 0 or more; 0 hides the documents. */
  readonly weight: number
}

/** Empty lists are absent. */
export type RuleActions = {
  readonly pin?: readonly PinAction[]
  readonly scale?: readonly ScaleAction[]
}

/** A rule that is sent with a search and applies to it alone. */
export type InlineRule = {
  /** A stored rule with this uid does not apply. */
  readonly uid: string
  readonly precedence?: number
  readonly active: boolean
  readonly conditions: RuleConditions
  readonly actions: RuleActions
}

/** Whether each condition of a sent rule holds, as clients read it. */
export type InlineRuleOutcomes = {
  readonly satisfiesActiveCondition: boolean
  readonly satisfiesTimeCondition?: 'satisfied' | 'tooEarly' | 'tooLate'
  readonly satisfiesQueryEmptyCondition?: 'satisfied' | 'queryNotEmpty' | 'queryEmpty'
  readonly satisfiesQueryWordsCondition?:
    | 'satisfied'
    | { readonly missingWord: { readonly word: string } }
  /** The first attribute whose value the filter does not demand. */
  readonly satisfiesFilterCondition?:
    | 'satisfied'
    | { readonly missingFacet: { readonly facet: string } }
}
