/** Actions as items of a menu: the ones that are not possible say why. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { beginAction, beginDelete } from './action-host.tsx'
import { planActions, type RowAction } from './action-plan.ts'
import type { MenuItem } from '../menu.tsx'

/** The items for rows: the view's own actions, then the deletion where the caller may delete. */
export function listActionItems(
  metadata: Schemas['MetadataResult'],
  permissions: Schemas['Permissions'] | undefined,
  rows: readonly Schemas['FieldValues'][],
  kinds: readonly RowAction['For'][],
  onDone: (isDeleted: boolean) => void = () => {},
): MenuItem[] {
  const planned = kinds.flatMap((kind) => planActions(metadata, permissions, rows, kind))
  const items = planned.map((each): MenuItem => ({
    text: each.action.Label,
    reason: each.reason,
    run: () => void beginAction(metadata, each, rows, () => onDone(false)),
  }))
  if (permissions?.Delete !== true || rows.length === 0) return items
  const isShut = rows.some(({ Permit__Delete: cell }) => cell === false || cell === 0)
  return [
    ...items,
    {
      text: say('delete'),
      isDanger: true,
      reason: isShut ? say(rows.length > 1 ? 'notNowOfSome' : 'notNow') : undefined,
      run: () => void beginDelete(metadata, rows, () => onDone(true)),
    },
  ]
}
