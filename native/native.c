/* What Python calls of code that was compiled ahead of time: checks arguments, runs, gives results.

   `entries` holds the functions by their full names; `digest` says which sources they were made of.
   This file is compiled for any processor of the architecture and asks whether the rest will run. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000 /* Python 3.11 and all that follow */
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <string.h>

struct argument {
    char letter; /* q, d or ? of a number, a of an array */
    int n_dims;
    int dtype; /* its place in dtype_texts */
};

struct entry {
    const char *name;
    void (*run)(int64_t *slots); /* status, then arguments; results take their place */
    const struct argument *arguments;
    int n_arguments;
    const char *results; /* q, d or ? of each; in brackets if they are a tuple */
};

#include "table.h" /* N_SLOTS, DIGEST, dtype_texts, entries */

enum { N_DTYPES = sizeof dtype_texts / sizeof *dtype_texts,
       N_ENTRIES = sizeof entries / sizeof *entries };

/* The dtype that was seen last of each kind: most arrays share it, and comparing records is slow. */
static PyArray_Descr *dtypes[N_DTYPES];
static PyMethodDef methods[N_ENTRIES];

static int has_dtype(PyArrayObject *array, int kind) {
    PyArray_Descr *const dtype = PyArray_DESCR(array), *const before = dtypes[kind];
    if (dtype == before) return 1;
    if (!PyArray_EquivTypes(dtype, before)) return 0;
    Py_INCREF((PyObject *)dtype);
    dtypes[kind] = dtype;
    Py_DECREF((PyObject *)before);
    return 1;
}

/* Put an array's place and shape into slots; return how many, 0 if compiled code cannot take it. */
static int put_array(PyObject *given, const struct argument *wanted, int64_t *slots) {
    PyArrayObject *const array = (PyArrayObject *)given;
    if (!PyArray_Check(given) || PyArray_NDIM(array) != wanted->n_dims
        || !has_dtype(array, wanted->dtype) || !PyArray_ISCARRAY(array))
        return 0;
    slots[0] = (int64_t)(intptr_t)PyArray_DATA(array);
    for (int k = 0; k < wanted->n_dims; k++) slots[1 + k] = PyArray_DIM(array, k);
    return 1 + wanted->n_dims;
}

/* Put a number into a slot; return whether it is one of this kind. */
static int put_number(PyObject *given, char letter, int64_t *slot) {
    if (letter == 'd') {
        const double number = PyFloat_AsDouble(given);
        memcpy(slot, &number, sizeof number);
    } else if (letter == '?') {
        *slot = PyObject_IsTrue(given);
    } else {
        *slot = PyLong_AsLongLong(given);
    }
    return !PyErr_Occurred();
}

static PyObject *number_of(int64_t slot, char letter) {
    double number;
    if (letter == 'q') return PyLong_FromLongLong(slot);
    if (letter == '?') return PyBool_FromLong(slot != 0);
    memcpy(&number, &slot, sizeof number);
    return PyFloat_FromDouble(number);
}

static PyObject *results_of(const int64_t *slots, const char *letters) {
    if (!*letters) Py_RETURN_NONE;
    if (*letters != '(') return number_of(*slots, *letters);
    const Py_ssize_t n = (Py_ssize_t)strlen(letters) - 2;
    PyObject *const results = PyTuple_New(n);
    for (Py_ssize_t k = 0; results && k < n; k++) {
        PyObject *const number = number_of(slots[k], letters[1 + k]);
        if (!number) {
            Py_DECREF(results);
            return NULL;
        }
        PyTuple_SetItem(results, k, number);
    }
    return results;
}

static PyObject *refuse(const struct entry *entry, int i, PyObject *given) {
    const struct argument *const wanted = entry->arguments + i;
    return PyErr_Format(PyExc_TypeError,
                        "argument %d of %s must be a writable, C-contiguous array of %d dimensions "
                        "and dtype %S, got %R",
                        i, entry->name, wanted->n_dims, dtypes[wanted->dtype], given);
}

static PyObject *call(PyObject *self, PyObject *const *given, Py_ssize_t n_given) {
    const struct entry *const entry = PyCapsule_GetPointer(self, NULL);
    int64_t slots[N_SLOTS];
    int at = 1;
    if (n_given != entry->n_arguments)
        return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, got %zd", entry->name,
                            entry->n_arguments, n_given);
    for (int i = 0; i < entry->n_arguments; i++) {
        const struct argument *const wanted = entry->arguments + i;
        if (wanted->letter != 'a') {
            if (!put_number(given[i], wanted->letter, slots + at++)) return NULL;
            continue;
        }
        const int n = put_array(given[i], wanted, slots + at);
        if (!n) return refuse(entry, i, given[i]);
        at += n;
    }
    Py_BEGIN_ALLOW_THREADS
    entry->run(slots);
    Py_END_ALLOW_THREADS
    if (slots[0])
        return PyErr_Format(PyExc_RuntimeError, "%s raised an exception", entry->name);
    return results_of(slots + 1, entry->results);
}

#if defined(__x86_64__)
#include <cpuid.h>

/* Whether this is a processor of level x86-64-v3, whose system saves the wide registers. */
static int is_able(void) {
    unsigned a, b, c, d, low, high;
    const unsigned first = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C;
    const unsigned second = bit_BMI | bit_AVX2 | bit_BMI2;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* SSE and AVX */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & second) != second) return 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}
#else
static int is_able(void) { return 1; }
#endif

/* Make the dtypes of their descriptions, which are JSON. */
static int make_dtypes(void) {
    PyObject *const json = PyImport_ImportModule("json");
    for (int k = 0; json && k < N_DTYPES; k++) {
        PyObject *const description = PyObject_CallMethod(json, "loads", "s", dtype_texts[k]);
        if (!description || !PyArray_DescrConverter(description, &dtypes[k])) {
            Py_XDECREF(description);
            Py_DECREF(json);
            return 0;
        }
        Py_DECREF(description);
    }
    Py_XDECREF(json);
    return json != NULL;
}

/* Put a function for each entry into a dict. */
static int add_entries(PyObject *functions) {
    for (int k = 0; k < N_ENTRIES; k++) {
        PyObject *const self = PyCapsule_New((void *)&entries[k], NULL, NULL);
        methods[k].ml_name = entries[k].name;
        methods[k].ml_meth = (PyCFunction)(void (*)(void))call;
        methods[k].ml_flags = METH_FASTCALL;
        PyObject *const function = self ? PyCFunction_NewEx(&methods[k], self, NULL) : NULL;
        const int failed = !function || PyDict_SetItemString(functions, entries[k].name, function);
        Py_XDECREF(function);
        Py_XDECREF(self);
        if (failed) return 0;
    }
    return 1;
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1};

PyMODINIT_FUNC PyInit__native(void) {
    if (!is_able()) {
        PyErr_SetString(PyExc_ImportError, "the processor must be of level x86-64-v3");
        return NULL;
    }
    import_array();
    PyObject *const module = PyModule_Create(&definition);
    PyObject *const functions = PyDict_New();
    if (!module || !functions || !make_dtypes() || !add_entries(functions)
        || PyModule_AddObjectRef(module, "entries", functions)
        || PyModule_AddStringConstant(module, "digest", DIGEST)) {
        Py_XDECREF(functions);
        Py_XDECREF(module);
        return NULL;
    }
    Py_DECREF(functions);
    return module;
}
