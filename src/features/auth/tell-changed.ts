/** Mails that tell users of what was done in their name. */
import { noteDevice } from '../../access/devices.ts'
import { findUserById } from '../../access/users.ts'
import type { AppContext } from '../../server/context.ts'
import { writeChangedLetter, writeDeviceLetter } from './letters.ts'
import type { Addressee } from './letters.ts'

/** That the password is another one; to who has an address, after the answer. */
export function tellPasswordChanged(app: AppContext, userId: number, language: string): void {
  const at = app.clock.now()
  app.post.send({
    topic: 'password changed',
    write: async () => {
      const user = await findUserById(app.store, userId)
      return user && user.Email !== null ? writeChangedLetter(user, at, language) : undefined
    },
  })
}

/**
 * Notes down the client of a sign-in, and tells the user of one that is new to them; of the very
 * first there is nothing to tell. After the answer.
 */
export function tellNewDevice(
  app: AppContext,
  user: Addressee & { Id: number },
  way: { address: string; client: string | undefined; language: string },
): void {
  const at = app.clock.now()
  app.post.send({
    topic: 'new device',
    write: async () => {
      const seen = await noteDevice(app.state, user.Id, way.client, at)
      if (seen !== 'new' || user.Email === null) return undefined
      return writeDeviceLetter(user, { ...way, at }, way.language)
    },
  })
}
