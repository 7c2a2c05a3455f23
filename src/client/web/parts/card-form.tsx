/** A form of a few fields: heading, sentences, what it asks for, one button that carries it out. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { say } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Fault } from './fault.tsx'

/** Values of the form by the names of its fields. */
export type CardValues = Readonly<Record<string, string>>

interface CardFormProps {
  heading: string
  help?: string | undefined
  /** The word of its button. */
  action: string
  /** Carries it out; what it throws is shown. */
  onSubmit(values: CardValues): Promise<void>
  /** Leaves it, where it stands in a dialog. */
  onCancel?: (() => void) | undefined
  children: ComponentChildren
}

/** Draws the form, as a page of its own or, with `onCancel`, in a dialog. */
export function CardForm({ heading, help, action, onSubmit, onCancel, children }: CardFormProps) {
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (isBusy.value) return
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
    <form class={onCancel ? 'dialog-form' : 'lonely-card'} onSubmit={(event) => void submit(event)}>
      {onCancel ? <h2>{heading}</h2> : <h1>{heading}</h1>}
      {help && <div class="quiet">{help}</div>}
      <Fault of={fault.value} />
      {children}
      {onCancel ? (
        <div class="buttons">
          <Button kind="primary" isSubmit disabled={isBusy.value}>
            {action}
          </Button>
          <Button onClick={onCancel}>{say('cancel')}</Button>
        </div>
      ) : (
        <Button kind="primary" isSubmit disabled={isBusy.value}>
          {action}
        </Button>
      )}
    </form>
  )
}

const readValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
