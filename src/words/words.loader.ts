/** Gives each file its words in the language of this computer, or in English where nobody has translated them. */
import toRuntime, { type CatalogModule, type Runtime } from 'wuchale/runtime'

/** @param catalogs the words of one file, by language */
export function getRuntime(catalogs: Record<string, CatalogModule>): Runtime {
  const language = navigator.languages.find((locale) => locale in catalogs) ?? 'en-GB'
  return toRuntime(catalogs[language], language)
}

/** What reactive code would ask: the same, as no window changes its language while it is open. */
export function getRuntimeRx(catalogs: Record<string, CatalogModule>): Runtime {
  return getRuntime(catalogs)
}
