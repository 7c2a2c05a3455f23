/** Messages in this browser: turned on and off, and tried. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { notify } from '../../state/notices.ts'
import {
  loadPushState,
  pushState,
  sendPushTest,
  turnPushOff,
  turnPushOn,
} from '../../state/push.ts'
import { user } from '../../state/session.ts'
import { Button } from '../../parts/button.tsx'
import { Fault } from '../../parts/fault.tsx'

/** Draws the section. */
export function PushSection() {
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const run = async (work: () => Promise<void>): Promise<void> => {
    fault.value = undefined
    isBusy.value = true
    try {
      await work()
    } catch (thrown) {
      fault.value = thrown
    } finally {
      isBusy.value = false
    }
  }
  useEffect(() => void run(loadPushState), [])
  const test = async (): Promise<void> => {
    notify(say('pushTested', { count: await sendPushTest() }))
  }
  const now = user.value
  const isClosed = isBusy.value || (typeof now === 'object' && now.Impersonator !== null)
  const state = pushState.value
  return (
    <section aria-labelledby="account-push">
      <h2 id="account-push">{say('push')}</h2>
      <Fault of={fault.value} />
      {state !== undefined && <p class="quiet">{say(`push_${state}`)}</p>}
      <div class="buttons">
        {state === 'off' && (
          <Button kind="primary" disabled={isClosed} onClick={() => void run(turnPushOn)}>
            {say('pushTurnOn')}
          </Button>
        )}
        {state === 'on' && (
          <>
            <Button disabled={isClosed} onClick={() => void run(test)}>
              {say('pushTest')}
            </Button>
            <Button disabled={isClosed} onClick={() => void run(turnPushOff)}>
              {say('pushTurnOff')}
            </Button>
          </>
        )}
      </div>
    </section>
  )
}
