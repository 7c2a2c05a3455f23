/** Globals of a page that Bun lacks, for parts of the client that read the address as they load. */
const address = { pathname: '/object/orders', search: '', origin: 'http://127.0.0.1' }

const go = (_state: unknown, _title: string, to: string): void => {
  const { pathname, search } = new URL(to, address.origin)
  Object.assign(address, { pathname, search })
}

Object.assign(globalThis, {
  location: address,
  history: { state: null, pushState: go, replaceState: go },
})

/** The query of the page's address. */
export const queryOfPage = (): URLSearchParams => new URLSearchParams(address.search)
