/** A form alone on its page. */
import type { ComponentProps } from 'preact'
import { CardForm } from '../../parts/card-form.tsx'

/** Draws the form; its fields give their values by their names. */
export function Card(props: Omit<ComponentProps<typeof CardForm>, 'onCancel'>) {
  return (
    <main class="lonely">
      <CardForm {...props} />
    </main>
  )
}
