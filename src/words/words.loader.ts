/** Gives each file its texts in the computer's language, or in English if there is no translation. */
import toRuntime, { type CatalogModule, type Runtime } from 'wuchale/runtime'

/**
 * Returns a file's texts in the best available language.
 * @param catalogs the texts of one file, by language
 */
export function getRuntime(catalogs: Record<string, CatalogModule>): Runtime {
  const language = navigator.languages.find((locale) => locale in catalogs) ?? 'en-GB'
  return toRuntime(catalogs[language], language)
}

/** The variant for reactive code: the same, since no window changes its language while open. */
export function getRuntimeRx(catalogs: Record<string, CatalogModule>): Runtime {
  return getRuntime(catalogs)
}
