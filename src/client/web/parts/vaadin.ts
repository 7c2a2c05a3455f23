/**
 * The Vaadin elements in TSX: their own properties, their `…-changed` events, and what every HTML
 * element takes. An element is known where its module is imported; each page imports its own.
 */
import type { AllHTMLAttributes } from 'preact'

type ValueOf<E> = E extends { value?: infer V } ? V : never

interface ChangeEvents<E> {
  'onvalue-changed'?: (event: CustomEvent<{ value: ValueOf<E> }>) => void
  'onchecked-changed'?: (event: CustomEvent<{ value: boolean }>) => void
  'onfilter-changed'?: (event: CustomEvent<{ value: string }>) => void
  'onopened-changed'?: (event: CustomEvent<{ value: boolean }>) => void
  'onselected-items-changed'?: (event: CustomEvent<{ value: unknown[] }>) => void
  'onselected-item-changed'?: (event: CustomEvent<{ value: unknown }>) => void
}

type OwnProperties<E> = {
  [K in Exclude<keyof E, keyof HTMLElement>]?: E[K]
}

/** Properties of an element in TSX. `theme` and `slot` are attributes of every one. */
type ElementProps<E extends HTMLElement> = Omit<AllHTMLAttributes<E>, keyof OwnProperties<E>> &
  OwnProperties<E> &
  ChangeEvents<E> & { theme?: string; slot?: string; label?: string }

type VaadinElements = {
  [
    Tag in keyof HTMLElementTagNameMap as Tag extends `vaadin-${string}` ? Tag : never
  ]: ElementProps<HTMLElementTagNameMap[Tag]>
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements extends VaadinElements {}
  }
}
