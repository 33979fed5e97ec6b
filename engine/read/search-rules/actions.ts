// The actions of a rule in stored JSON: an object of lists by kind. Releases up to 1.50 wrote one
// list, in which every element pins a document; it is read as well.
import type { IndexUid } from '../../../format/ids.ts'
import {
  anything,
  either,
  identifying,
  isValid,
  list,
  number,
  object,
  objectWith,
  oneOf,
  open,
  part,
  type Schema,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { PinAction, RuleActions, ScaleAction } from '../../model/index.ts'

const uid = identifying<IndexUid>(text)

const OBJECT: Schema<RuleActions> = open(
  part<RuleActions>({
    pin: list(open(objectWith<PinAction>({ id: text, position: number }, { indexUid: uid }))),
    scale: list(
      open(
        objectWith<ScaleAction>(
          { weight: number },
          { indexUid: uid, ids: texts, filter: anything },
        ),
      ),
    ),
  }),
)

/** An element of the list of 1.50. */
export type ListedAction = {
  readonly selector: { readonly indexUid?: IndexUid; readonly id: string }
  readonly action: { readonly type: 'pin'; readonly position: number }
}

/** Lists from dumps may have further members. */
const LIST: Schema<readonly ListedAction[]> = list(
  open(
    object<ListedAction>({
      selector: open(objectWith<ListedAction['selector']>({ id: text }, { indexUid: uid })),
      action: open(object<ListedAction['action']>({ type: oneOf(['pin']), position: number })),
    }),
  ),
)

/** Both stored forms. */
export const STORED_ACTIONS: Schema<RuleActions | readonly ListedAction[]> = either(OBJECT, LIST)

function actionsOfList(actions: readonly ListedAction[]): RuleActions {
  const pin = actions.map(({ selector: { indexUid, id }, action: { position } }): PinAction => {
    return { ...(indexUid === undefined ? {} : { indexUid }), id, position }
  })
  return pin.length === 0 ? {} : { pin }
}

/** Returns stored actions of either form as an object. */
export const storedActions = (actions: RuleActions | readonly ListedAction[]): RuleActions =>
  isListed(actions) ? actionsOfList(actions) : actions

const isListed = (
  actions: RuleActions | readonly ListedAction[],
): actions is readonly ListedAction[] => Array.isArray(actions)

/**
 * Returns the members of a stored change of a rule with its actions as an object; all else is
 * returned unchanged.
 */
export function withActionsAsObject<M extends { readonly [member: string]: unknown }>(rule: M): M {
  const { actions } = rule
  if (!Array.isArray(actions) || !isValid(LIST, actions)) return rule
  return { ...rule, actions: actionsOfList(actions) }
}
