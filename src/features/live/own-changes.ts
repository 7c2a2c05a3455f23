/** The hub's part that tells users' other clients what they changed of their own. */
import { Type } from '@sinclair/typebox'
import type { OwnChanges } from '../../engine/own-changes.ts'
import type { HubChannel, HubConnection, HubPart } from '../../server/hub/hub.ts'

/** Settings go to all clients of the user, saved views to those in their company. */
export function ownChangesPart(changes: OwnChanges, channel: HubChannel): HubPart {
  const byUser = new Map<number, Set<HubConnection>>()
  changes.subscribe((change) => {
    if (change.kind === 'views')
      return channel.toUser(change, 'viewsChanged', { Object: change.object })
    for (const connection of byUser.get(change.userId) ?? [])
      connection.send('settingsChanged', { Key: change.key })
  })
  return {
    events: {
      settingsChanged: {
        description: 'A setting of the caller was saved or cleared; load it again',
        arguments: { change: Type.Object({ Key: Type.String() }) },
      },
      viewsChanged: {
        description: 'The caller has saved, changed or deleted a saved view in this company',
        arguments: { change: Type.Object({ Object: Type.String() }) },
      },
    },
    open: (connection) =>
      void byUser.getOrInsertComputed(connection.caller.userId, () => new Set()).add(connection),
    close: (connection) => {
      const left = byUser.get(connection.caller.userId)
      left?.delete(connection)
      if (left?.size === 0) byUser.delete(connection.caller.userId)
    },
  }
}
