/**
 * Places where a page can keep something for later, each with a script that puts it there and one that looks for it.
 */

export interface Keeping {
  /** The thing kept, as in “find the … of the signer before”. */
  what: string
  plant: string
  recall: string
  /** What the first page finds of its own: since it can be kept, not finding it later means something. */
  planted: unknown
  nothing: unknown
  /** Kept with the page, which each signer gets again, and not with its session. */
  isOfPage?: true
  /** Kept with the session, as long as the page is there. */
  endsWithPage?: true
}

export const KEPT: readonly Keeping[] = [
  {
    what: 'cookie',
    plant: 'document.cookie = "signer=ana; path=/; max-age=9999"',
    recall: 'return document.cookie',
    planted: 'signer=ana',
    nothing: ''
  },
  {
    what: 'cookie of the newer interface',
    plant: 'await cookieStore.set({ name: "signer", value: "ana", expires: Date.now() + 1e9 })',
    recall: 'return (await cookieStore.getAll()).map((c) => c.value)',
    planted: ['ana'],
    nothing: []
  },
  {
    what: 'local storage',
    plant: 'localStorage.setItem("signer", "ana")',
    recall: 'return localStorage.getItem("signer")',
    planted: 'ana',
    nothing: null
  },
  {
    what: 'session storage',
    plant: 'sessionStorage.setItem("signer", "ana")',
    recall: 'return sessionStorage.getItem("signer")',
    planted: 'ana',
    nothing: null,
    isOfPage: true
  },
  {
    what: 'database',
    plant:
      'await new Promise((r) => { const o = indexedDB.open("signer"); o.onsuccess = () => { o.result.close(); r() }; o.onerror = r })',
    recall: 'return (await indexedDB.databases()).map((d) => d.name)',
    planted: ['signer'],
    nothing: []
  },
  {
    what: 'cache of its scripts',
    plant: 'await (await caches.open("signer")).put("/ana", new Response("ana"))',
    recall: 'return (await caches.match("/ana"))?.text() ?? null',
    planted: 'ana',
    nothing: null
  },
  {
    what: 'files of its own',
    plant:
      'const d = await navigator.storage.getDirectory(); const f = await d.getFileHandle("ana", { create: true }); const w = await f.createWritable(); await w.write("ana"); await w.close()',
    recall:
      'const found = []; for await (const name of (await navigator.storage.getDirectory()).keys()) found.push(name); return found',
    planted: ['ana'],
    nothing: []
  },
  {
    what: 'bucket',
    plant: 'await navigator.storageBuckets?.open("ana")',
    recall: 'return (await navigator.storageBuckets?.keys()) ?? []',
    planted: ['ana'],
    nothing: []
  },
  {
    what: 'name of the window',
    plant: 'window.name = "ana"',
    recall: 'return window.name',
    planted: 'ana',
    nothing: '',
    isOfPage: true
  },
  {
    what: 'state of the history',
    plant: 'history.replaceState({ signer: "ana" }, "")',
    recall: 'return history.state',
    planted: { signer: 'ana' },
    nothing: null,
    isOfPage: true
  },
  {
    what: 'typed words',
    plant: 'document.forms[0].email.value = "ana@example.com"',
    recall: 'return document.forms[0].email.value',
    planted: 'ana@example.com',
    nothing: '',
    isOfPage: true
  },
  {
    what: 'place on the page',
    plant: 'scrollTo(0, 1000)',
    recall: 'return scrollY',
    planted: 1000,
    nothing: 0,
    isOfPage: true
  },
  {
    what: 'lock that it never lets go',
    plant: 'navigator.locks.request("ana", () => new Promise(() => {})); await new Promise((r) => setTimeout(r, 50))',
    recall: 'return (await navigator.locks.query()).held.map((l) => l.name)',
    planted: ['ana'],
    nothing: [],
    endsWithPage: true
  },
  {
    what: 'blob, by its address,',
    plant: 'window.kept = URL.createObjectURL(new Blob(["ana"])); localStorage.setItem("blob", window.kept)',
    recall: 'return typeof window.kept',
    planted: 'string',
    nothing: 'undefined',
    isOfPage: true
  }
]
