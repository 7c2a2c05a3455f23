/** A mail in the timeline: its subject, to whom it went, and what has become of it. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'

type Mail = Schemas['TimelineMail']

const STATES = {
  waiting: 'mailWaiting',
  held: 'mailHeld',
  sent: 'mailSent',
  failed: 'mailFailed',
} as const

/** Draws what the user may know of a mail; its subject is null where they may not see all of it. */
export function MailFacts({ mail, subject }: { mail: Mail; subject: string | null }) {
  const { To, HasOthers, HasReport, State } = mail
  const to = [...To, ...(HasOthers ? [say('timelineMailOthers')] : [])].join(', ')
  return (
    <>
      {subject === null ? (
        <p class="quiet">{say('timelineMailHidden')}</p>
      ) : (
        <p class="timeline-text" dir="auto">
          {subject}
        </p>
      )}
      {(to !== '' || State !== null) && (
        <dl>
          {to !== '' && (
            <div>
              <dt>{say('timelineMailTo')}</dt>
              <dd>{to}</dd>
            </div>
          )}
          {State !== null && (
            <div>
              <dt>{say('timelineMailState')}</dt>
              <dd class={State === 'failed' ? 'timeline-failed' : undefined}>
                {say(STATES[State])}
              </dd>
            </div>
          )}
        </dl>
      )}
      {HasReport && <p class="quiet">{say('timelineMailReport')}</p>}
    </>
  )
}
