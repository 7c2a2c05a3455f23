/** The sessions of the user: where they are, and how they are ended. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatInstant, say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { notify } from '../../state/notices.ts'
import { Button } from '../../parts/button.tsx'
import { Fault } from '../../parts/fault.tsx'
import { nameClient } from './client-name.ts'

type Session = Schemas['Session']

const endSession = (id: string) =>
  take(wire.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id } } }))

/** Draws the list; the session of this browser is ended by signing out. */
export function SessionList({ isClosed }: { isClosed: boolean }) {
  const sessions = useSignal<readonly Session[]>([])
  const fault = useSignal<unknown>(undefined)
  const load = async (): Promise<void> => {
    sessions.value = await take(wire.GET('/api/v1/auth/sessions'))
  }
  const run = (work: Promise<void>): void => {
    fault.value = undefined
    work.catch((thrown: unknown) => (fault.value = thrown))
  }
  useEffect(() => run(load()), [])
  const end = async (ended: readonly Session[]): Promise<void> => {
    try {
      for (const { Id } of ended) await endSession(Id)
      notify(say('sessionsEnded', { count: ended.length }))
    } finally {
      await load()
    }
  }
  const others = sessions.value.filter(({ IsCurrent }) => !IsCurrent)
  return (
    <section aria-labelledby="account-sessions">
      <h2 id="account-sessions">{say('sessions')}</h2>
      <Fault of={fault.value} />
      <ul class="session-list">
        {sessions.value.map((session) => (
          <SessionLine
            key={session.Id}
            session={session}
            isClosed={isClosed}
            onEnd={() => run(end([session]))}
          />
        ))}
      </ul>
      {others.length > 1 && (
        <Button kind="danger" disabled={isClosed} onClick={() => run(end(others))}>
          {say('endOthers')}
        </Button>
      )}
    </section>
  )
}

interface SessionLineProps {
  session: Session
  isClosed: boolean
  onEnd(): void
}

function SessionLine({ session, isClosed, onEnd }: SessionLineProps) {
  const { Client, Address, CreatedAt, LastUsedAt, IsCurrent, Impersonator } = session
  const name = nameClient(Client) ?? say('unknownClient')
  return (
    <li>
      <div>
        <strong title={Client ?? undefined}>{name}</strong>{' '}
        {IsCurrent && <span class="chip">{say('thisBrowser')}</span>}
        {Impersonator && (
          <span class="chip">{say('actedBy', { name: Impersonator.UserName })}</span>
        )}
        <div class="quiet">
          {[
            Address,
            say('sessionSince', { at: formatInstant(CreatedAt) }),
            say('sessionUsed', { at: formatInstant(LastUsedAt) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
      </div>
      {!IsCurrent && (
        <Button disabled={isClosed} title={`${say('endSession')}: ${name}`} onClick={onEnd}>
          {say('endSession')}
        </Button>
      )}
    </li>
  )
}
