/** The product as this server shows it before anyone is signed in: name, logo, colour, methods. */
import { signal } from '@preact/signals'
import { type Schemas, take, wire } from '../api/wire.ts'

const OWN_ICON = '/client/icon.svg'

/** Methods and looks of the sign-in, once they are known; `undefined` before. */
export const methods = signal<Schemas['SignInMethods'] | undefined>(undefined)

/** Loads them, and gives the page its name and colour. */
export async function loadBrand(): Promise<void> {
  const found = await take(wire.GET('/api/v1/auth/methods'))
  methods.value = found
  document.title = found.ProductName
  if (found.Color !== null)
    document.documentElement.style.setProperty('--lumo-primary-color', found.Color)
}

/** The address of the logo: the server's own, else the client's. */
export const logoAddress = (): string => methods.value?.Logo ?? OWN_ICON
