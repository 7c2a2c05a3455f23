/** The mail that tells users of a sign-in with a client that is new to them. */
import { noteDevice } from '../../access/devices.ts'
import type { AppContext } from '../../server/context.ts'
import { writeDeviceEmail } from './emails.ts'
import type { Recipient } from './emails.ts'

/**
 * Notes down the client of a sign-in, and tells the user of one that is new to them; of the very
 * first there is nothing to tell. After the answer.
 */
export function notifyNewDevice(
  app: AppContext,
  user: Recipient & { Id: number },
  way: { address: string; client: string | undefined; language: string },
): void {
  const at = app.clock.now()
  app.mailer.send({
    topic: 'new device',
    write: async () => {
      const seen = await noteDevice(app.state, user.Id, way.client, at)
      if (seen !== 'new' || user.Email === null) return undefined
      return writeDeviceEmail(user, { ...way, at }, way.language)
    },
  })
}
