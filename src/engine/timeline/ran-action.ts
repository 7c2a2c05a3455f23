/** The label of an action that ran on a record, for a reader who sees a view that has it. */
import type { View } from '../../model/compiled/view.ts'
import type { ModelText } from '../../model/model-text.ts'
import { toWords } from '../../model/names.ts'
import { listViewsOf } from '../../model/view-index.ts'
import { Grant } from '../../access/rights/grant.ts'
import { readFacts, type StoredChanges } from './shown-fields.ts'
import type { WorkflowCall } from '../workflow/instance-use.ts'

/**
 * Finds the label of the action of an entry. Undefined where its reader sees no view that has it:
 * their metadata does not name it either. An action that its view has no longer is called by its
 * name; those of a view that is gone, or has another name, are found in others of the entity.
 */
export function findActionLabel(
  by: Pick<WorkflowCall, 'caller' | 'model'>,
  entity: string,
  changes: StoredChanges,
): ModelText | undefined {
  const { Action, Object: object } = readFacts<{ Action: string; Object: string }>(changes)
  const view = by.model.views.get(object)
  if (view) return isSeen(by, view) ? (findLabel(view, Action) ?? toWords(Action)) : undefined
  const others = listViewsOf(by.model, entity).filter((each) => isSeen(by, each))
  return others.flatMap((each) => findLabel(each, Action) ?? [])[0]
}

const isSeen = (
  { caller, model }: Pick<WorkflowCall, 'caller' | 'model'>,
  { resource }: View,
): boolean =>
  (Grant.find(caller, model, resource, 'View') ?? Grant.find(caller, model, resource, 'List')) !==
  undefined

const findLabel = ({ rowActions }: View, name: string): ModelText | undefined =>
  rowActions.find((each) => each.name.toLowerCase() === name.toLowerCase())?.label
