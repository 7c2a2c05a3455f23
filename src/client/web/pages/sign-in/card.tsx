/** A form alone on its page: heading, sentences, fields, one button. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { Fault } from '../../parts/fault.tsx'

interface CardProps {
  heading: string
  help?: string
  /** The word of its button. */
  action: string
  /** Carries it out; what it throws is shown. */
  onSubmit(values: Readonly<Record<string, string>>): Promise<void>
  children: ComponentChildren
}

/** Draws the form; its fields give their values by their names. */
export function Card({ heading, help, action, onSubmit, children }: CardProps) {
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    isBusy.value = true
    fault.value = undefined
    try {
      await onSubmit(readValues(event.currentTarget as HTMLFormElement))
    } catch (thrown) {
      fault.value = thrown
    } finally {
      isBusy.value = false
    }
  }
  return (
    <main class="lonely">
      <form class="lonely-card" onSubmit={(event) => void submit(event)}>
        <h1>{heading}</h1>
        {help && <div class="quiet">{help}</div>}
        <Fault of={fault.value} />
        {children}
        <Button kind="primary" isSubmit disabled={isBusy.value}>
          {action}
        </Button>
      </form>
    </main>
  )
}

const readValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
