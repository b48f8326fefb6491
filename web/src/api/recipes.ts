import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type {
  ConsoleRecipe,
  ImportRecipeBody,
  NewVersionBody,
  RecipeChanges,
  RecipeCheck,
  RecipeList,
  RecipeQuery,
  RecipeResponse,
  RecipeSavings,
} from "../../../src/contract/console/recipes.ts";
import { get, patch, post, remove } from "./client.ts";

const RECIPES = ["recipes"] as const;
const PAGE_SIZE = 50;
const RUNNING_POLL_MS = 5_000;

export type RecipeFilter = Pick<RecipeQuery, "application_id" | "state" | "text">;

export function recipesQuery(filter: RecipeFilter) {
  return infiniteQueryOptions({
    queryKey: [...RECIPES, "list", filter],
    queryFn: ({ pageParam, signal }) =>
      get<RecipeList>("/recipes", { ...filter, after: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ recipes, has_more }) => (has_more ? recipes.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Of one application, or of all. */
export function savingsQuery(applicationId: string | undefined) {
  return queryOptions({
    queryKey: [...RECIPES, "savings", applicationId],
    queryFn: ({ signal }) => get<RecipeSavings>("/recipes/savings", { application_id: applicationId }, signal),
    placeholderData: keepPreviousData,
  });
}

export function recipeQuery(id: string) {
  return queryOptions({
    queryKey: [...RECIPES, "one", id],
    queryFn: async ({ signal }) => (await get<RecipeResponse>(pathOf(id), {}, signal)).recipe,
    // While an errand runs with it.
    refetchInterval: ({ state }) =>
      state.data?.executions.some(({ terminal }) => terminal === null) === true ? RUNNING_POLL_MS : false,
  });
}

/** What a text means as a recipe. It saves nothing. */
export function recipeCheckQuery(yaml: string) {
  return queryOptions({
    queryKey: [...RECIPES, "check", yaml],
    queryFn: () => post<RecipeCheck>("/recipes/check", { yaml }),
    enabled: yaml.trim() !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

export function useImportRecipe() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: ImportRecipeBody) => (await post<RecipeResponse>("/recipes", body)).recipe,
    onSuccess: (recipe) => store(client, recipe),
  });
}

/** Saves what a verified errand did. */
export function useSaveAsRecipe(executionId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      (await post<RecipeResponse>(`/executions/${encodeURIComponent(executionId)}/recipe`)).recipe,
    onSuccess: (recipe) => store(client, recipe),
  });
}

export function useChangeRecipe(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: RecipeChanges) => (await patch<RecipeResponse>(pathOf(id), changes)).recipe,
    onSuccess: (recipe) => store(client, recipe),
  });
}

export function useSaveVersion(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewVersionBody) => (await post<RecipeResponse>(`${pathOf(id)}/versions`, body)).recipe,
    onSuccess: (recipe) => store(client, recipe),
  });
}

/** Returns the promoted recipe, which may be another one that gets this as its next version. */
export function usePromoteRecipe(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => (await post<RecipeResponse>(`${pathOf(id)}/promote`)).recipe,
    onSuccess: (recipe) => store(client, recipe),
  });
}

export function useDeleteRecipe(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => remove(pathOf(id)),
    // Not the recipe itself: the page showing it is about to close, and a refetch would return 404.
    onSuccess: () => refreshLists(client),
  });
}

function store(client: QueryClient, recipe: ConsoleRecipe): Promise<void> {
  client.setQueryData(recipeQuery(recipe.id).queryKey, recipe);
  return refreshLists(client);
}

async function refreshLists(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: [...RECIPES, "list"] }),
    client.invalidateQueries({ queryKey: [...RECIPES, "savings"] }),
    // They name the recipe and its state.
    client.invalidateQueries({ queryKey: ["executions"] }),
  ]);
}

function pathOf(id: string): string {
  return `/recipes/${encodeURIComponent(id)}`;
}
